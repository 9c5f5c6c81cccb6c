"""Regions of neighbouring groups are chosen anew, and never for the worse."""

import numpy as np
import pytest

from engine.bounds.base import CentredRecords
from engine.bounds.linear_programme.column_search import (
    ColumnGeneration,
    generate_columns_in_place,
    start_column_generation,
)
from engine.core.context import RunContext
from engine.core.errors import Cancelled
from engine.core.parallel import THREADS_VARIABLE
from engine.core.partition import Labels
from engine.methods.base import make_method
from engine.methods.search.integer_programmes import regions
from engine.methods.search.integer_programmes.columns import (
    GroupColumns,
    all_relevant_columns,
    cheapest_columns,
)
from engine.methods.search.integer_programmes.groups import (
    groups_from_labels,
    total_group_sse,
)
from engine.methods.search.integer_programmes.programme import TurnCounter
from engine.points.base import Points
from tests.reference.brute_force import least_sse


@pytest.fixture(autouse=True)
def small_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "FIRST_REGION_GROUPS", 5)


def begun(
    seed: int, n: int = 45, k: int = 3
) -> tuple[ColumnGeneration, GroupColumns, Labels]:
    X = np.random.default_rng(seed).lognormal(size=(n, 3))
    labels = make_method("mdav", k).partition(Points.from_array(X)).labels
    search = start_column_generation(CentredRecords.from_array(X), k)
    generate_columns_in_place(search)
    gap = total_group_sse(search.records.X, labels) - search.bound
    columns = cheapest_columns(search, gap, 400, 10**5, RunContext())
    return search, columns, labels


def improved(
    search: ColumnGeneration, columns: GroupColumns, labels: Labels, most: int = 0
) -> Labels:
    return regions.improve_from_listed(
        search, columns, labels, TurnCounter(most), RunContext()
    )


@pytest.mark.parametrize("seed", range(4))
def test_whole_groups_and_a_smaller_loss(seed: int) -> None:
    search, columns, labels = begun(seed)
    better_labels = improved(search, columns, labels)
    X = search.records.X
    assert (
        search.bound <= total_group_sse(X, better_labels) < total_group_sse(X, labels)
    )
    assert np.bincount(better_labels).min() >= 3
    assert set(groups_from_labels(better_labels)) <= set(columns.groups) | set(
        groups_from_labels(labels)
    )


def test_nothing_is_left_that_the_same_regions_would_find() -> None:
    search, columns, labels = begun(1)
    better_labels = improved(search, columns, labels)
    np.testing.assert_array_equal(
        improved(search, columns, better_labels), better_labels
    )


def test_any_number_of_threads_gives_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, columns, labels = begun(2)
    label_lists = []
    for count in ("1", "3"):
        monkeypatch.setenv(THREADS_VARIABLE, count)
        label_lists.append(improved(search, columns, labels))
    np.testing.assert_array_equal(*label_lists)


def test_a_round_is_whole_or_not_at_all() -> None:
    search, columns, labels = begun(3)
    turns = TurnCounter()
    regions.improve_from_listed(search, columns, labels, turns, RunContext())
    rounds, last = turns.done - 1, labels
    assert rounds > 2
    for n_rounds in (1, rounds // 2, rounds):
        turns = TurnCounter(n_rounds + 1)
        ctx = turns.counting_context(RunContext())
        better_labels = regions.improve_from_listed(search, columns, labels, turns, ctx)
        X = search.records.X
        assert turns.done == n_rounds + 1
        assert total_group_sse(X, better_labels) <= total_group_sse(X, last)
        last = better_labels
    np.testing.assert_array_equal(last, improved(search, columns, labels))


def test_a_cancel_is_answered() -> None:
    search, columns, labels = begun(0)
    answers = iter([False, True])
    ctx = RunContext(cancelled=lambda: next(answers))
    with pytest.raises(Cancelled):
        regions.improve_from_listed(search, columns, labels, TurnCounter(), ctx)


def test_likely_groups_are_those_of_the_largest_gains() -> None:
    search, _, labels = begun(0, n=30)
    gap = total_group_sse(search.records.X, labels) - search.bound
    every = all_relevant_columns(search, gap, 10**6, 10**6, RunContext())
    assert every is not None
    assert every.complete
    some = cheapest_columns(search, gap, len(every.groups) // 3, 10**6, RunContext())
    assert not some.complete
    assert 0 < len(some.groups) <= len(every.groups) // 3
    assert set(some.groups) <= set(every.groups)


def renewed(search: ColumnGeneration, labels: Labels, turns: TurnCounter) -> Labels:
    ctx = turns.counting_context(RunContext())
    proof = search.proof
    return regions.improve_by_regions(
        search.records, search.k, proof, labels, 15, 0, turns, ctx
    )


@pytest.mark.parametrize("seed", range(4))
def test_regions_on_their_own_make_better_groups(seed: int) -> None:
    search, _, labels = begun(seed)
    X = search.records.X
    better_labels = renewed(search, labels, TurnCounter())
    assert (
        search.bound <= total_group_sse(X, better_labels) < total_group_sse(X, labels)
    )
    assert np.bincount(better_labels).min() >= 3


def test_a_region_of_all_records_is_as_good_as_can_be() -> None:
    for seed in range(6):
        X = np.random.default_rng(seed).integers(0, 5, (9, 2)).astype(np.float64)
        records = CentredRecords.from_array(X)
        search = start_column_generation(records, 3)
        labels = np.arange(9) % 3
        better_labels = renewed(search, labels, TurnCounter())
        assert total_group_sse(X, better_labels) == pytest.approx(
            least_sse(X, 3), abs=1e-9
        )


def test_renewing_is_the_same_on_any_number_of_threads_and_counts_its_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, _, labels = begun(2)
    label_lists, rounds = [], set()
    for count in ("1", "3"):
        monkeypatch.setenv(THREADS_VARIABLE, count)
        turns = TurnCounter()
        label_lists.append(renewed(search, labels, turns))
        rounds.add(turns.done - 1)
    np.testing.assert_array_equal(*label_lists)
    (total,) = rounds
    assert total > 1
    for n_rounds in sorted({1, total}):
        turns = TurnCounter(n_rounds + 1)
        part = renewed(search, labels, turns)
        assert turns.done == n_rounds + 1
    np.testing.assert_array_equal(part, label_lists[0])


def test_records_that_are_all_equal_are_left_alone() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 2)), 6, axis=0)
    search = start_column_generation(CentredRecords.from_array(X), 3)
    labels = np.repeat(np.arange(8), 3)
    np.testing.assert_array_equal(renewed(search, labels, TurnCounter()), labels)
