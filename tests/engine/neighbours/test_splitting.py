from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.core.context import RunContext
from engine.core.errors import Cancelled
from engine.core.parallel import THREADS_VARIABLE
from engine.core.typing import Values
from engine.neighbours.splitting import kd_tree_order, kd_tree_order_parallel
from tests.reference import blocked as slow


def blocks_of(order: np.ndarray, borders: np.ndarray) -> list[list[int]]:
    return [order[start:stop].tolist() for start, stop in pairwise(borders)]


@given(data=st.data(), p=st.integers(1, 3), size=st.integers(1, 9))
def test_equals_its_naive_twin_where_many_values_tie(
    data: st.DataObject, p: int, size: int
) -> None:
    n = data.draw(st.integers(size, 80))
    X = data.draw(arrays(np.float64, (n, p), elements=st.integers(0, 4)))
    parts = n // size
    blocks = blocks_of(*kd_tree_order(X, parts))
    assert blocks == slow.split(X, list(range(n)), parts)
    assert blocks_of(*kd_tree_order_parallel(X, parts)) == blocks
    assert len(blocks) == parts
    assert min(map(len, blocks)) >= size


@pytest.mark.parametrize("shape", ["scattered", "equal", "rise and fall", "sorted"])
def test_every_record_is_in_one_block_of_even_size(shape: str) -> None:
    n = 10_007
    X = {
        "scattered": np.random.default_rng(0).standard_normal((n, 4)),
        "equal": np.zeros((n, 2)),
        "rise and fall": np.abs(np.arange(n) - n / 2)[:, np.newaxis],
        "sorted": np.arange(n, dtype=np.float64)[::-1, np.newaxis].copy(),
    }[shape]
    order, borders = kd_tree_order_parallel(X, 37)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    assert {n // 37, n // 37 + 1} >= set(np.diff(borders).tolist())


def test_blocks_of_one_attribute_are_runs_of_its_values() -> None:
    X = np.random.default_rng(1).standard_normal((1000, 1))
    order, borders = kd_tree_order(X, 7)
    ranked = np.argsort(X[:, 0])
    for start, stop in pairwise(borders):
        assert set(order[start:stop]) == set(ranked[start:stop])


def test_threads_make_no_difference(monkeypatch) -> None:
    X: Values = np.random.default_rng(2).integers(0, 9, (30_000, 3)).astype(np.float64)
    expected = kd_tree_order(X, 300)
    for threads in (1, 2, 4):
        monkeypatch.setenv(THREADS_VARIABLE, str(threads))
        for parallel_array, same in zip(
            kd_tree_order_parallel(X, 300), expected, strict=True
        ):
            np.testing.assert_array_equal(parallel_array, same)


def test_a_cancel_is_heard() -> None:
    with pytest.raises(Cancelled):
        kd_tree_order_parallel(
            np.zeros((100, 1)), 10, RunContext(cancelled=lambda: True)
        )
