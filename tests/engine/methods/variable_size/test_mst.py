import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from engine.kernels.variable_size.spanning_tree import (
    grow_spanning_tree,
    make_prim_state,
)
from engine.methods.base import make_method
from engine.methods.variable_size.mst import MST
from tests.casc import CELLS, information_loss, zscored
from tests.reference.mst_diameter import mst_diameter

# Laszlo and Mukherjee 2005, as quoted by Kabir and Wang 2010
PRINTED = (16.63, 19.66, 24.50, 38.58, 6.11, 8.24, 10.30, 17.17)


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_with_dbfs_is_within_half_a_per_cent_of_the_published_figure(
    cell: tuple[str, int], figure: float
) -> None:
    X = zscored(cell[0])
    loss = information_loss(X, make_method("mst-diameter", cell[1]).fit(X).labels_)
    assert loss == pytest.approx(figure, rel=0.005)


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_with_mfs_equals_the_published_figure_but_for_two_of_census(
    cell: tuple[str, int], figure: float
) -> None:
    X = zscored(cell[0])
    labels = make_method("mst-diameter", cell[1], {"split": "grown"}).fit(X).labels_
    hundredths = round(100 * (information_loss(X, labels) - figure))
    assert hundredths == (cell in {("census", 5), ("census", 10)})


@pytest.mark.parametrize("k", [2, 4])
def test_with_mfs_equals_its_twin(k: int) -> None:
    rng = np.random.default_rng(k)
    for X in (rng.standard_normal((70, 3)), rng.integers(0, 4, (50, 2)).astype(float)):
        labels = make_method("mst-diameter", k, {"split": "grown"}).fit(X).labels_
        np.testing.assert_array_equal(labels, mst_diameter(X, k, "grown"))


@pytest.mark.parametrize(("n", "p"), [(2, 1), (40, 3), (600, 2), (300, 13)])
def test_the_tree_is_as_short_as_scipys(n: int, p: int) -> None:
    X = np.random.default_rng(n).standard_normal((n, p))
    outside = make_prim_state(X)
    for stop in range(2, n + 1, 7):  # growing in parts changes nothing
        grow_spanning_tree(X, outside, max(1, stop - 7), stop)
    grow_spanning_tree(X, outside, stop, n)
    expected = minimum_spanning_tree(squareform(pdist(X))).sum()
    assert np.sqrt(outside.length).sum() == pytest.approx(expected, rel=1e-12)
    assert sorted(outside.order) == list(range(n))
    edges = outside.order[1:]
    lengths = ((X[edges] - X[outside.parent[edges]]) ** 2).sum(axis=1)
    np.testing.assert_allclose(outside.length[edges], lengths, rtol=1e-12)


@pytest.mark.parametrize("name", ["mst-diameter", "mst-centroid"])
def test_large_trees_are_split_and_small_ones_kept(name: str) -> None:
    X = np.random.default_rng(7).standard_normal((400, 3))
    k = 4
    trees = MST(k).fit(X).labels_
    parts = make_method(name, k).fit(X).labels_
    for tree in range(trees.max() + 1):
        inside = np.unique(parts[trees == tree])
        assert (inside.size > 1) == (np.sum(trees == tree) >= 2 * k)
        assert np.isin(parts, inside)[trees != tree].sum() == 0


def test_long_edges_are_cut_where_k_records_stay() -> None:
    # The longest gap would leave two records alone, the next one three.
    X = np.array([[0.0], [1.0], [50.0], [51.0], [52.5], [80.0], [81.0], [82.2]])
    np.testing.assert_array_equal(MST(3).fit(X).labels_, [0] * 5 + [1] * 3)


def test_records_round_a_hub_stay_together() -> None:
    # Distance 1 to the hub and more to each other: no edge has 3 records on both sides.
    X = np.vstack([np.zeros((1, 12)), np.eye(12)])
    assert not MST(3).fit(X).labels_.any()
