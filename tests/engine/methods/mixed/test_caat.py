"""CAAT on mixed tables: the source's steps, sizes and releases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.kinds import Kind
from engine.methods.base import make_method
from engine.points.base import Points
from tests.engine.methods.mixed.tables import (
    Drawn,
    attributes,
    mixed_tables,
    prepared,
    random_table,
)
from tests.reference.caat import caat_mixed


def groups(points: Points, k: int, seed: int = 0, ties: str = "first") -> np.ndarray:
    return make_method("caat", k, {"ties": ties}, seed).partition(points).labels


@given(mixed_tables(), st.integers(0, 20), st.sampled_from(["first", "all"]))
def test_equals_its_naive_twin(
    table: tuple[int, list[Drawn]], seed: int, ties: str
) -> None:
    k, drawn = table
    np.testing.assert_array_equal(
        groups(prepared(drawn), k, seed, ties),
        caat_mixed(attributes(drawn), k, seed, ties),
    )


@pytest.mark.parametrize("k", [2, 5, 30])
def test_equals_its_naive_twin_on_more_records(k: int) -> None:
    drawn = random_table(150, k)
    np.testing.assert_array_equal(
        groups(prepared(drawn), k, 3), caat_mixed(attributes(drawn), k, 3)
    )


@given(mixed_tables(), st.integers(0, 20))
def test_groups_have_k_to_2k_less_1_records(
    table: tuple[int, list[Drawn]], seed: int
) -> None:
    k, drawn = table
    sizes = np.bincount(groups(prepared(drawn), k, seed))
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1


def test_records_that_are_equally_near_join_together_if_asked() -> None:
    values = tuple(float(x) for x in [0] * 7 + [9] * 3)
    points = prepared([Drawn(Kind.CONTINUOUS, values)])
    for seed in range(10):
        sizes = np.bincount(groups(points, 3, seed, "all"))
        assert sorted(sizes.tolist()) == [3, 7]
        assert np.bincount(groups(points, 3, seed)).max() <= 5


def test_the_first_record_is_drawn_by_the_seed() -> None:
    values = tuple(float(x) for x in range(40))
    points = prepared([Drawn(Kind.CONTINUOUS, values)])
    groupings = {tuple(groups(points, 4, seed).tolist()) for seed in range(30)}
    assert len(groupings) > 5
    for seed in range(30):
        start = int(np.random.default_rng(seed).integers(40, size=1)[0])
        assert groups(points, 4, seed)[start] == 0


def test_the_scaling_does_not_matter() -> None:
    drawn = random_table(120, 1)
    expected = groups(prepared(drawn, "zscore"), 4)
    for scaling in ("range", "none"):
        np.testing.assert_array_equal(groups(prepared(drawn, scaling), 4), expected)
