"""Cuts are exceeded by the solution at hand, and by no partition."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from engine.bounds.linear_programme.cuts import (
    EFFORTS,
    MIN_CUT_VIOLATION,
    Cut,
    Group,
    PricedCuts,
    SeparationEffort,
    separate_cuts,
)
from engine.bounds.linear_programme.master import MasterProblem
from tests.reference.brute_force import partitions


def held(groups: Sequence[Group], weights: np.ndarray, cut: Cut) -> float:
    """What groups come to in a cut, by its definition."""
    records, divisor = cut
    return sum(
        float(weight) * (sum(i in group for i in records) // divisor)
        for group, weight in zip(groups, weights, strict=True)
    )


def test_three_pairs_of_three_records_are_cut_off() -> None:
    groups = [(0, 1), (1, 2), (0, 2), (3, 4)]
    weights = np.array([0.5, 0.5, 0.5, 1.0])
    cut = (0, 1, 2), 2
    assert separate_cuts(groups, weights, [], 2) == [cut]
    assert separate_cuts(groups, weights, [cut], 2) == []


def test_of_more_cuts_than_a_round_takes_those_of_costly_records_come_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.bounds.linear_programme.cuts.MAX_FIRST_ROUND_CUTS", 1)
    ring = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    weights = np.array([0.5, 0.5, 0.5, 0.45, 0.45, 0.45])
    cheap, costly = ((0, 1, 2), 2), ((3, 4, 5), 2)
    assert separate_cuts(ring, weights, [], 2) == [cheap]
    prices = np.array([1.0, 1.0, 1.0, 9.0, 9.0, -1.0])
    assert separate_cuts(ring, weights, [], 2, record_prices=prices) == [costly]
    assert separate_cuts(
        ring, weights, [], 2, record_prices=prices, max_cuts_factor=2
    ) == [
        costly,
        cheap,
    ]


def test_seven_records_are_two_groups_of_three_not_two_and_a_third() -> None:
    groups = list(combinations(range(7), 3))
    cuts = separate_cuts(groups, np.full(35, 1.0 / 15.0), [], 3)
    assert (tuple(range(7)), 3) in cuts


@pytest.mark.parametrize("size", [5, 7, 9, 15, 31])
def test_a_ring_of_pairs_leaves_one_record_out(size: int) -> None:
    ring = [tuple(sorted((i, (i + 1) % size))) for i in range(size)]
    cuts = separate_cuts(ring, np.full(size, 0.5), [], 2)
    assert cuts == [(tuple(range(size)), 2)]


def test_a_partition_is_never_cut_off() -> None:
    for groups in partitions(list(range(7)), 2):
        members = [tuple(group) for group in groups]
        assert separate_cuts(members, np.ones(len(members)), [], 2) == []


@pytest.mark.parametrize(("k", "effort"), [(2, EFFORTS[0]), (3, EFFORTS[1])])
def test_no_partition_exceeds_a_cut(k: int, effort: SeparationEffort) -> None:
    rng = np.random.default_rng(k)
    every = [g for s in range(k, 2 * k) for g in combinations(range(8), s)]
    all_cuts: set[Cut] = {((*range(7),), k), ((1, 3, 4, 5, 7), k)}
    for _ in range(60):
        some = [every[g] for g in rng.choice(len(every), 14, replace=False)]
        weights = rng.uniform(0.1, 0.9, 14)
        cuts = separate_cuts(some, weights, [], k, effort)
        exceeded = [held(some, weights, cut) - len(cut[0]) // cut[1] for cut in cuts]
        assert all(value > MIN_CUT_VIOLATION for value in exceeded)
        all_cuts.update(cuts)
    assert len(all_cuts) > 60
    cuts = sorted(all_cuts)
    right_hand_sides = PricedCuts(cuts, np.ones(len(cuts))).right_hand_sides

    @cache
    def own(group: Group) -> np.ndarray:
        return np.array([held([group], np.ones(1), cut) for cut in cuts])

    for groups in partitions(list(range(8)), k):
        assert (sum(own(tuple(group)) for group in groups) <= right_hand_sides).all()


@pytest.mark.parametrize("seed", range(20))
def test_finds_a_triple_where_there_is_one_and_says_the_most_exceeded_first(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    every = [g for s in (2, 3, 4) for g in combinations(range(8), s)]
    groups = [every[g] for g in rng.choice(len(every), 12, replace=False)]
    weights = rng.uniform(0.1, 0.9, 12)
    values = {cut: held(groups, weights, (cut, 2)) for cut in combinations(range(8), 3)}
    cuts = separate_cuts(groups, weights, [], 2)
    exceeded = [held(groups, weights, cut) - len(cut[0]) // cut[1] for cut in cuts]
    assert all(value > MIN_CUT_VIOLATION for value in exceeded)
    assert exceeded == sorted(exceeded, reverse=True)
    assert bool(cuts) or max(values.values()) <= 1.0 + MIN_CUT_VIOLATION


def test_the_programme_respects_its_cuts() -> None:
    X = np.random.default_rng(3).standard_normal((6, 2))
    master = MasterProblem(X, 1.0)
    master.add_groups(np.array(list(combinations(range(6), 2))))
    master.set_box(np.full(6, -1e3), np.full(6, 1e3))
    master.add_cuts([((0, 1, 2), 2), ((3, 4, 5), 2)])
    master.add_cuts([((0, 1, 2, 3, 4), 2), (tuple(range(5)), 3)])
    master.add_groups(np.array(list(combinations(range(6), 3))))
    solution = master.solve()
    assert solution is not None
    for cut in master.cuts:
        limit = len(cut[0]) // cut[1]
        assert held(master.groups, solution.weights, cut) <= limit + 1e-7
