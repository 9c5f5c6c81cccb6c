"""LB0 is what its formula says, and no partition loses less."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import partition
from engine.bounds import nearest_bound
from engine.core.context import RunContext
from engine.core.errors import Cancelled
from tests.reference.brute_force import least_sse
from tests.reference.subsets import least_sse_of_many


def naive_bound(X: np.ndarray, k: int) -> float:
    total = 0.0
    for i in range(len(X)):
        squared = sorted(((X - X[i]) ** 2).sum(axis=1).tolist())
        total += sum(squared[:k])  # the record itself adds nothing
    return total / (2 * k)


points = st.lists(
    st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=4, max_size=9
)


@given(points, st.integers(2, 3), st.sampled_from([1.0, 1e-9, 1e9, 1 / 3]))
def test_never_above_the_optimum(
    rows: list[tuple[int, int]], k: int, unit: float
) -> None:
    X = np.array(rows) * unit + unit / 7
    assert nearest_bound(X, k).sse <= least_sse(X, k)


@pytest.mark.parametrize("k", [2, 3, 5, 17])
@pytest.mark.parametrize("p", [1, 4, 30])
def test_equals_its_formula_but_for_the_safety_margin(k: int, p: int) -> None:
    X = np.random.default_rng(k * p).normal(size=(70, p))
    bound = nearest_bound(X, k)
    assert bound.sse <= naive_bound(X, k)
    assert bound.sse == pytest.approx(naive_bound(X, k), rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_an_offset_never_lifts_it_above_a_method(offset: float) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3)) + offset
    labels = partition(X, k=3, scaling="none")
    sse = sum(
        ((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum()
        for g in range(labels.max() + 1)
    )
    assert 0 < nearest_bound(X, 3).sse < sse


def test_equal_records_have_nothing_to_lose() -> None:
    X = np.full((10, 2), 0.1)
    assert nearest_bound(X, 3).sse == 0.0
    assert nearest_bound(X, 3).per_cent == 0.0


def test_tight_where_groups_are_pairs_of_neighbours() -> None:
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert nearest_bound(X, 2).sse == pytest.approx(1.0)
    assert least_sse_of_many(X[np.newaxis], 2) == pytest.approx([1.0])


def test_cancel_is_answered() -> None:
    with pytest.raises(Cancelled):
        nearest_bound(
            np.random.default_rng(0).normal(size=(50, 2)),
            3,
            RunContext(cancelled=lambda: True),
        )
