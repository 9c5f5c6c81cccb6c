"""Each record's nearest are found, by computed distances."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from engine.kernels.index.leaves import FANOUT, MIN_ROTATED_RECORDS, make_leaf_tree
from engine.kernels.index.nearest import write_nearest_in_tree


def nearest_by_definition(X: np.ndarray, length: int) -> np.ndarray:
    squared = np.square(X[:, None, :] - X[None, :, :]).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    return np.sort(squared, axis=1)[:, :length]


def found_by_kernel(X: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    leaves, n = make_leaf_tree(X), X.shape[0]
    assert (np.sort(leaves.order) == np.arange(n)).all()
    count = -(-n // FANOUT)
    near = np.empty((count * FANOUT, length), dtype=np.int64)
    squared = np.empty(near.shape)
    branches = np.empty((2, len(leaves.low[0])), dtype=np.int64)
    bounds = np.empty(branches.shape, dtype=np.float32)
    write_nearest_in_tree(leaves, 0, count, near, squared, branches, bounds)
    near, squared, moved = near[:n], squared[:n], X[leaves.order]
    assert (near != np.arange(n)[:, None]).all()
    assert all(len(set(row)) == length for row in near.tolist())
    sq_distances = np.square(moved[near] - moved[:, None, :]).sum(axis=2)
    assert squared == pytest.approx(sq_distances, rel=1e-12)
    return np.sort(squared, axis=1), nearest_by_definition(moved, length)


@pytest.mark.parametrize("n", [9, FANOUT, FANOUT + 1, 300, 900])
@pytest.mark.parametrize("p", [1, 5, 7])
@pytest.mark.parametrize("ties", [False, True])
def test_finds_the_nearest_of_every_record(n: int, p: int, ties: bool) -> None:
    rng = np.random.default_rng(n + p)
    X = rng.integers(0, 3, (n, p)) * 1.0 if ties else rng.standard_normal((n, p))
    squared, truth = found_by_kernel(X, min(8, n - 1))
    assert squared == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("size", [1e-160, 1e-30, 1.0, 1e30, 1e140])
@pytest.mark.parametrize("p", [1, 3, 40])
def test_coarse_numbers_rule_no_neighbour_out(size: float, p: int) -> None:
    rng = np.random.default_rng(p)
    X = np.exp(2.0 * rng.standard_normal((500, p)))
    X[::3] = X[0] + 1e-7 * rng.standard_normal(X[::3].shape)  # all one in float32
    X[-1] = 1e5
    squared, truth = found_by_kernel(size * X, 5)
    assert squared == pytest.approx(truth, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("p", [2, 6, 70])
@pytest.mark.parametrize("size", [1.0, 1e150])
def test_tables_of_many_records_are_turned_and_distances_are_not(
    p: int, size: float
) -> None:
    rng = np.random.default_rng(p)
    n = MIN_ROTATED_RECORDS + 1000
    X = np.exp(rng.standard_normal((n, 1)) + 0.3 * rng.standard_normal((n, p)))
    X[-50:] = X[-1]
    leaves = make_leaf_tree(size * X)
    near = np.empty((FANOUT, 4), dtype=np.int64)
    branches = np.empty((2, len(leaves.low[0])), dtype=np.int64)
    for leaf in (0, n // FANOUT // 2, n // FANOUT - 1):
        squared = np.empty(near.shape)
        bounds = np.empty(branches.shape, dtype=np.float32)
        write_nearest_in_tree(leaves, leaf, leaf + 1, near, squared, branches, bounds)
        records = leaves.order[leaf * FANOUT : (leaf + 1) * FANOUT]
        truth = cKDTree(X).query(X[records], 5)[0][:, 1:]
        assert np.sort(squared, axis=1) == pytest.approx(
            np.square(size * truth), rel=1e-9, abs=1e-20 * size**2
        )


def test_few_records_are_looked_at_where_attributes_are_few() -> None:
    X = np.random.default_rng(0).standard_normal((20_000, 3))
    leaves = make_leaf_tree(X)
    count = 20_000 // FANOUT
    near = np.empty((20_000, 4), dtype=np.int64)
    branches = np.empty((2, len(leaves.low[0])), dtype=np.int64)
    bounds = np.empty(branches.shape, dtype=np.float32)
    measured = write_nearest_in_tree(
        leaves, 0, count, near, np.empty(near.shape), branches, bounds
    )
    assert measured < 20_000 * 20_000 / 50
