"""Cuts are exceeded by the solution at hand, and by no partition."""

from itertools import combinations

import numpy as np
import pytest

from engine.bounds.cuts import LEAST, separate
from engine.bounds.master import Master
from tests.reference.brute_force import partitions

NONE = np.empty((0, 3), dtype=np.int64)


def held(groups: list[tuple[int, ...]], weights: np.ndarray, cut: list[int]) -> float:
    """Weight of the groups that hold two or more of a triple, by its definition."""
    return sum(
        float(weight)
        for group, weight in zip(groups, weights, strict=True)
        if len(set(group) & set(cut)) >= 2
    )


def test_three_pairs_of_three_records_are_cut_off() -> None:
    groups = [(0, 1), (1, 2), (0, 2), (3, 4)]
    weights = np.array([0.5, 0.5, 0.5, 1.0])
    assert separate(groups, weights, NONE).tolist() == [[0, 1, 2]]
    assert len(separate(groups, weights, np.array([[0, 1, 2]]))) == 0


def test_a_partition_is_never_cut_off() -> None:
    for groups in partitions(list(range(7)), 2):
        members = [tuple(group) for group in groups]
        assert len(separate(members, np.ones(len(members)), NONE)) == 0


@pytest.mark.parametrize("seed", range(20))
def test_finds_a_cut_where_there_is_one_and_says_the_most_exceeded_first(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    every = [g for s in (2, 3, 4) for g in combinations(range(8), s)]
    groups = [every[g] for g in rng.choice(len(every), 12, replace=False)]
    weights = rng.uniform(0.1, 0.9, 12)
    values = {
        cut: held(groups, weights, list(cut)) for cut in combinations(range(8), 3)
    }
    found = [tuple(cut) for cut in separate(groups, weights, NONE).tolist()]
    exceeded = [values[cut] for cut in found]
    assert all(value > 1.0 + LEAST for value in exceeded)
    assert exceeded == sorted(exceeded, reverse=True)
    assert bool(found) == (max(values.values()) > 1.0 + LEAST)


def test_the_programme_respects_its_cuts() -> None:
    X = np.random.default_rng(3).standard_normal((6, 2))
    master = Master(X, 1.0)
    master.add(np.array(list(combinations(range(6), 2))))
    master.set_box(np.full(6, -1e3), np.full(6, 1e3))
    master.add_cuts(np.array([[0, 1, 2], [3, 4, 5]]))
    master.add(np.array(list(combinations(range(6), 3))))
    solution = master.solve()
    assert solution is not None
    for cut in master.cuts.tolist():
        assert held(master.groups, solution.weights, cut) <= 1.0 + 1e-7
