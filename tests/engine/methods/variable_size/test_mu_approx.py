from itertools import combinations_with_replacement

import numpy as np
import pytest

from engine.kernels.variable_size.forest import (
    break_up_trees,
    link_small_trees,
    make_forest,
)
from engine.methods.variable_size.mu_approx import MuApprox
from tests.casc import CELLS, information_loss, zscored

# Domingo-Ferrer, Sebe and Solanas 2008, as quoted by Kabir and Wang 2010
PRINTED = (17.10, 20.51, 26.04, 38.80, 6.25, 8.47, 10.78, 17.01)


@pytest.mark.parametrize(("cell", "figure"), list(zip(CELLS, PRINTED, strict=True)))
def test_loses_less_than_the_published_figure(
    cell: tuple[str, int], figure: float
) -> None:
    X = zscored(cell[0])
    assert information_loss(X, MuApprox(cell[1]).fit(X).labels_) < figure


def test_result_does_not_depend_on_the_order_of_the_records() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 3))
    shuffle = rng.permutation(300)
    direct, shuffled = (MuApprox(4).fit(Y).labels_ for Y in (X, X[shuffle]))
    pairs = set(zip(direct[shuffle].tolist(), shuffled.tolist(), strict=True))
    assert len(pairs) == direct.max() + 1 == shuffled.max() + 1


def broken_up(target: list[int], k: int) -> list[int]:
    """Sizes of the parts of a tree whose links all have the same length."""
    forest = make_forest(np.array(target), np.ones(len(target)))
    labels = np.full(len(target), -1, dtype=np.int64)
    break_up_trees(forest, k, 10**9, labels)
    assert forest.counts[0] == 0
    return sorted(np.bincount(labels).tolist())


def test_a_star_is_split_at_its_pivot_until_the_parts_are_small() -> None:
    for k in range(2, 9):
        sizes = broken_up([-1] + [0] * 99, k)
        assert sum(sizes) == 100
        assert sizes[0] >= k
        assert sizes[-1] <= max(2 * k - 1, 3 * k - 5)


def test_a_path_is_cut_at_its_edges() -> None:
    for k in range(2, 9):
        sizes = broken_up([-1, *range(60)], k)
        assert sizes[0] >= k
        assert sizes[-1] <= max(2 * k - 1, 3 * k - 5)


def star_of_branches(sizes: list[int]) -> list[int]:
    """Links of record 0 and of paths of so many records that end at it."""
    target = [-1]
    for size in sizes:
        target += [0, *range(len(target), len(target) + size - 1)]
    return target


def test_a_branch_of_k_minus_1_records_takes_the_pivot_along() -> None:
    # 10 records may stay together: the last 5 of 13 take the pivot along, if it may
    assert broken_up(star_of_branches([4, 4, 3, 2]), k=5) == [5, 9]
    assert broken_up(star_of_branches([4, 4, 4, 4]), k=5) == [8, 9]


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_no_part_of_any_star_of_small_branches_is_larger_than_proven(k: int) -> None:
    for count in range(2, 8):
        for sizes in combinations_with_replacement(range(1, k), count):
            if sum(sizes) + 1 < k:
                continue
            parts = broken_up(star_of_branches(list(sizes)), k)
            assert parts[0] >= k
            assert parts[-1] <= max(2 * k - 1, 3 * k - 5)


def test_every_tree_grows_to_k_records() -> None:
    near = np.array([[0, 1], [1, 0], [2, 1], [3, 2]])
    squared = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 4.0], [0.0, 2.0]])
    target, tree = np.full(4, -1), np.arange(4)
    size = np.ones(4, dtype=np.int64)
    links = link_small_trees(np.array([3, 2, 1, 0]), near, squared, target, tree, size)
    # 3 joins 2, both have two records; 1 joins 0; the others need not link
    assert links == 2
    np.testing.assert_array_equal(target, [-1, 0, -1, 2])
    assert link_small_trees(np.arange(4), near, squared, target, tree, size) == 0
