"""Nearest records: exact where the table is small, nearly so where it is large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import cKDTree

from engine.core.context import RunContext
from engine.core.errors import Cancelled
from engine.neighbours.neighbour_lists import MAX_EXACT_RECORDS, nearest_neighbours


@given(
    X=arrays(
        np.float64,
        st.tuples(st.integers(2, 40), st.integers(1, 3)),
        elements=st.integers(-4, 4),
    ),
    length=st.integers(1, 9),
)
def test_small_tables_have_exact_lists_with_ties_by_record(
    X: np.ndarray, length: int
) -> None:
    n = len(X)
    sq_distances = np.square(X[:, np.newaxis] - X).sum(axis=2)
    expected = [
        sorted(set(range(n)) - {i}, key=lambda j: (sq_distances[i, j], j))[:length]
        for i in range(n)
    ]
    assert nearest_neighbours(X, length).tolist() == expected


@pytest.mark.parametrize("p", [1, 2, 5])
def test_large_tables_have_nearly_exact_lists(p: int) -> None:
    X = np.random.default_rng(p).normal(size=(2 * MAX_EXACT_RECORDS + 77, p))
    near = nearest_neighbours(X, 8)
    n = len(X)
    assert near.shape == (n, 8)
    assert (near != np.arange(n)[:, np.newaxis]).all()
    assert (np.diff(np.sort(near, axis=1), axis=1) > 0).all()
    sq_distances = np.square(X[near] - X[:, np.newaxis]).sum(axis=2)
    assert (np.diff(sq_distances, axis=1) >= 0).all()
    true = np.square(cKDTree(X).query(X, 9)[0][:, 1:])
    assert np.isclose(sq_distances, true, rtol=1e-9).mean() > 0.8
    assert np.sqrt(sq_distances).mean() < 1.05 * np.sqrt(true).mean()


def test_equal_records_are_no_trouble() -> None:
    X = np.zeros((MAX_EXACT_RECORDS + 300, 2))
    near = nearest_neighbours(X, 5)
    assert near.min() >= 0
    assert (near != np.arange(len(X))[:, np.newaxis]).all()


def test_progress_and_cancel() -> None:
    shares: list[float] = []
    X = np.random.default_rng(0).normal(size=(3 * MAX_EXACT_RECORDS, 4))
    nearest_neighbours(X, 6, RunContext(lambda share, _: shares.append(share)))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.raises(Cancelled):
        nearest_neighbours(X, 6, RunContext(cancelled=lambda: True))
