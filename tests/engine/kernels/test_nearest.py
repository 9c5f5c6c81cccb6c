"""Each record's nearest are found, by computed distances."""

import numpy as np
import pytest

from engine.kernels.leaves import WIDE, make_leaves
from engine.kernels.nearest import find_nearest


def nearest_by_definition(X: np.ndarray, length: int) -> np.ndarray:
    squared = np.square(X[:, None, :] - X[None, :, :]).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    return np.sort(squared, axis=1)[:, :length]


@pytest.mark.parametrize("n", [9, WIDE, WIDE + 1, 300, 2000])
@pytest.mark.parametrize("p", [1, 5, 7])
@pytest.mark.parametrize("ties", [False, True])
def test_finds_the_nearest_of_every_record(n: int, p: int, ties: bool) -> None:
    rng = np.random.default_rng(n + p)
    X = rng.integers(0, 3, (n, p)) * 1.0 if ties else rng.standard_normal((n, p))
    leaves, length = make_leaves(X), min(8, n - 1)
    assert (np.sort(leaves.order) == np.arange(n)).all()
    count = -(-n // WIDE)
    near = np.empty((count * WIDE, length), dtype=np.int64)
    squared = np.empty(near.shape)
    branches = np.empty((2, len(leaves.low[0])), dtype=np.int64)
    find_nearest(leaves, 0, count, near, squared, branches, np.empty(branches.shape))
    near, squared, moved = near[:n], squared[:n], X[leaves.order]
    assert (near != np.arange(n)[:, None]).all()
    assert all(len(set(row)) == length for row in near.tolist())
    apart = np.square(moved[near] - moved[:, None, :]).sum(axis=2)
    assert squared == pytest.approx(apart, rel=1e-12)
    assert np.sort(squared, axis=1) == pytest.approx(
        nearest_by_definition(moved, length), rel=1e-12
    )


def test_few_records_are_looked_at_where_attributes_are_few() -> None:
    X = np.random.default_rng(0).standard_normal((20_000, 3))
    leaves = make_leaves(X)
    count = 20_000 // WIDE
    near = np.empty((20_000, 4), dtype=np.int64)
    branches = np.empty((2, len(leaves.low[0])), dtype=np.int64)
    bounds = np.empty(branches.shape)
    measured = find_nearest(
        leaves, 0, count, near, np.empty(near.shape), branches, bounds
    )
    assert measured < 20_000 * 20_000 / 50
