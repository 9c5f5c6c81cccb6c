from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from engine.core.typing import Values
from engine.kernels.fixed_size.line import form_extreme_groups_on_line, make_sorted_runs
from engine.kernels.fixed_size.mdav import form_extreme_groups
from engine.kernels.index.blocks import BlockIndex, compact_blocks, make_block_index

TABLES = {
    "scattered": lambda rng, n: rng.standard_normal(n),
    "heavy tails": lambda rng, n: rng.lognormal(0.0, 2.0, n),
    "far from zero": lambda rng, n: 1e9 + rng.standard_normal(n),
    "rounded away": lambda rng, n: 2.0**53 + rng.integers(0, 40, n),
    "tiny": lambda rng, n: 1e-160 * rng.standard_normal(n),
    "huge": lambda rng, n: 1e150 * rng.standard_normal(n),
    "many ties": lambda rng, n: rng.integers(0, 9, n),
    "all records equal": lambda rng, n: np.full(n, 0.1),
    "mirrored": lambda rng, n: np.arange(n) % 7 - 3.0,
}


def groups_of(kernel: object, held: object, n: int, k: int, ends: int) -> list[int]:
    labels = np.full(n, -1, dtype=np.int64)
    scratch = np.empty(1), np.empty(k - 1, dtype=np.int64), np.empty(k - 1)
    group = 0
    while held.count[0] >= ends * k:  # type: ignore[attr-defined]
        if isinstance(held, BlockIndex):
            compact_blocks(held)
        group = kernel(held, ends * k, 3, group, labels, ends, *scratch)  # type: ignore[operator]
    assert labels.max() == group - 1
    return labels.tolist()


def assert_same(values: Values, k: int, ends: int) -> None:
    X = np.ascontiguousarray(values, dtype=np.float64)[:, np.newaxis]
    line, blocks = make_sorted_runs(X), make_block_index(X)
    labels = groups_of(form_extreme_groups_on_line, line, len(X), k, ends)
    assert labels == groups_of(form_extreme_groups, blocks, len(X), k, ends)
    assert seeds_of(line.slot, labels) == seeds_of(blocks.slot, labels)


def seeds_of(slot: NDArray[np.int64], labels: list[int]) -> dict[int, int]:
    """Return the record of each group that was removed first."""
    seeds: dict[int, int] = {}
    for i in np.argsort(-slot):
        if slot[i] < 0:
            seeds.setdefault(labels[i], int(i))
    return seeds


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("ends", [1, 2])
def test_a_line_gives_the_groups_of_blocks(table: str, k: int, ends: int) -> None:
    for n in (2 * k, 41, 200):
        assert_same(TABLES[table](np.random.default_rng(n), n), k, ends)


@given(
    values=arrays(np.float64, st.integers(4, 40), elements=st.integers(-4, 4)),
    k=st.integers(2, 5),
    ends=st.integers(1, 2),
)
def test_a_line_gives_the_groups_of_blocks_where_many_values_tie(
    values: Values, k: int, ends: int
) -> None:
    if values.size >= ends * k:
        assert_same(values, k, ends)


def test_values_of_both_zeros_are_one_run() -> None:
    line = make_sorted_runs(np.array([[0.0], [-0.0], [1.0], [-0.0]]))
    assert line.first.tolist() == [0, 3]
    assert line.order.tolist() == [0, 1, 3, 2]
