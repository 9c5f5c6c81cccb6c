"""Optimal comes to the least SSE there is, and proves how near it is."""

import sys
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

from engine.bounds import edge_cover_bound
from engine.bounds.base import CentredRecords
from engine.bounds.linear_programme.column_search import start_column_generation
from engine.core.context import RunContext
from engine.core.errors import Cancelled
from engine.core.parallel import THREADS_VARIABLE
from engine.files import read_table
from engine.methods.base import make_method
from engine.methods.search.integer_programmes import proof
from engine.methods.search.integer_programmes.columns import all_relevant_columns
from engine.methods.search.integer_programmes.groups import (
    groups_from_labels,
    labels_from_groups,
    total_group_sse,
)
from engine.methods.search.iterated import Iterated
from engine.methods.search.optimal import Optimal
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.points.base import Points
from tests.casc import information_loss, zscored
from tests.engine.bounds.tables import solved_tables
from tests.reference.brute_force import partitions


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "n", [6, 7, *(pytest.param(n, marks=pytest.mark.slow) for n in (8, 9))]
)
def test_finds_what_brute_force_finds(k: int, n: int) -> None:
    for X, optimum in solved_tables(8, n, k):
        method = Optimal(k, iterations=50, gap=0.0)
        labels = method.partition(Points.from_array(X)).labels
        assert total_group_sse(X, labels) == pytest.approx(optimum, rel=1e-9, abs=1e-12)
        assert method.bound_ is not None
        assert method.bound_.sse <= optimum
        # All groups that matter were listed, so that the bound is the loss.
        assert method.bound_.sse == pytest.approx(optimum, rel=1e-8, abs=1e-12)


def test_a_proof_leaves_no_gap() -> None:
    values = np.random.default_rng(4).lognormal(size=(60, 3))
    names = ["a", "b", "c"]
    table = read_table(pd.DataFrame(values, columns=names)).assign(
        roles=dict.fromkeys(names, "quasi-identifier"),
        kinds=dict.fromkeys(names, "continuous"),
    )
    plan = Plan(method="optimal", k=3, parameters={"iterations": 200, "gap": 0.0})
    outcome = run(plan, table)
    assert outcome.gap == 0.0
    assert outcome.bound.per_cent == outcome.information_loss


def test_loses_no_more_than_the_search_it_begins_with() -> None:
    X = np.random.default_rng(0).lognormal(size=(90, 3))
    points = Points.from_array(X)
    start_labels = Iterated(3, iterations=30).partition(points).labels
    method = Optimal(3, iterations=30)
    labels = method.partition(points).labels
    assert total_group_sse(X, labels) <= total_group_sse(X, start_labels)
    assert method.bound_ is not None
    assert edge_cover_bound(X, 3).sse < method.bound_.sse <= total_group_sse(X, labels)
    assert total_group_sse(X, labels) <= 1.005 * method.bound_.sse


@pytest.mark.slow
def test_within_a_per_cent_of_the_best_possible_on_a_reference_table() -> None:
    X = zscored("tarragona")
    method = Optimal(3, seconds=30.0)
    loss = information_loss(X, method.partition(Points.from_array(X)).labels)
    assert loss < 14.6
    assert method.bound_ is not None
    assert loss > method.bound_.per_cent > 14.4


@pytest.mark.parametrize("seed", range(6))
def test_a_list_holds_every_better_partition_whatever_the_prices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(8, 2))
    search = start_column_generation(CentredRecords.from_array(X), 2)
    every = [
        labels_from_groups([tuple(group) for group in groups], 8)
        for groups in partitions(list(range(8)), 2)
    ]
    losses = np.array([total_group_sse(X, labels) for labels in every])
    some = float(np.sort(losses)[5])
    for share in (1.0, 0.6):  # lower prices prove less than the bound
        search.prices = search.prices * share
        gap = some - search.bound
        columns = all_relevant_columns(search, gap, 10**4, 10**6, RunContext())
        assert columns is not None
        listed = set(columns.groups)
        for labels, loss in zip(every, losses, strict=True):
            if loss < some - 1e-9 and max(map(len, groups_from_labels(labels))) < 4:
                assert set(groups_from_labels(labels)) <= listed


@pytest.mark.parametrize("seconds", [0.05, pytest.param(5, marks=pytest.mark.slow)])
def test_a_run_by_the_clock_is_repeated_by_its_steps_and_turns(seconds: float) -> None:
    X = np.random.default_rng(5).lognormal(size=(60, 3))
    points = Points.from_array(X)
    Optimal(3, iterations=5).partition(points)  # compiles
    method = Optimal(3, seconds=seconds, gap=0.0)
    labels = method.partition(points).labels
    repetition = Optimal(
        3, gap=0.0, iterations=method.n_iter_ or 0, turns=method.n_turns_ or 0
    )
    np.testing.assert_array_equal(repetition.partition(points).labels, labels)
    assert (repetition.n_iter_, method.bound_) == (method.n_iter_, repetition.bound_)


@pytest.mark.slow
def test_regions_beside_cuts_count_once_they_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proof, "DIVE_THRESHOLDS", ())  # which find the best here
    points = Points.from_array(np.random.default_rng(2).standard_normal((60, 6)))

    def loss(turns: int) -> float:
        sse_values = set()
        for threads in ("1", "3"):
            monkeypatch.setenv(THREADS_VARIABLE, threads)
            method = Optimal(4, gap=0.0, iterations=1, turns=turns)
            sse_values.add(total_group_sse(points.X, method.partition(points).labels))
        (same,) = sse_values
        return same

    losses = [loss(turns) for turns in (3, 21, 22, 23, 25, 1000)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > losses[-1]


@pytest.mark.slow
def test_keeps_to_its_time_and_says_what_it_reaches() -> None:
    X = np.random.default_rng(1).standard_normal((120, 3))
    Optimal(3, iterations=5).partition(Points.from_array(X))  # compiles
    figures: dict[str, list[float]] = defaultdict(list)
    shares: list[float] = []
    ctx = RunContext(
        lambda share, _: shares.append(share),
        hear=lambda name, value: figures[name].append(value),
    )
    method = Optimal(3, seconds=0.4, gap=0.0)
    labels = method.partition(Points.from_array(X), ctx).labels
    assert figures["bound"] == sorted(figures["bound"])
    assert method.bound_ is not None
    assert figures["bound"][-1] == method.bound_.sse
    assert min(figures["sse"]) == pytest.approx(total_group_sse(X, labels), rel=1e-9)
    assert shares == sorted(shares)


def test_ends_with_the_best_when_told_that_it_is_enough() -> None:
    X = np.random.default_rng(1).standard_normal((120, 3))
    for ticks in (0, 20, 40, 80):
        answers = iter([False] * ticks + [True] * 10**6)
        method = Optimal(3, seconds=600.0)
        partition = method.partition(
            Points.from_array(X), RunContext(enough=lambda it=answers: next(it))
        )
        assert partition.sizes.min() >= 3
        assert method.bound_ is not None
        assert method.bound_.sse <= total_group_sse(X, partition.labels)


@pytest.mark.parametrize("ticks", [30, 60, 120])
def test_a_cancel_is_answered_at_any_stage(ticks: int) -> None:
    X = np.random.default_rng(2).standard_normal((120, 3))
    answers = iter([False] * ticks + [True])
    with pytest.raises(Cancelled):
        Optimal(3, iterations=50, gap=0.0).partition(
            Points.from_array(X), RunContext(cancelled=lambda: next(answers))
        )


def test_the_bound_of_many_records_adds_up_over_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules[Optimal.__module__], "MAX_LB2_RECORDS", 50)
    X = np.random.default_rng(5).lognormal(size=(60, 2))
    points = Points.from_array(X)
    method = make_method("optimal", 3, {"iterations": 200})
    labels = method.partition(points).labels
    sse = total_group_sse(X, labels)
    assert edge_cover_bound(X, 3).sse < method.bound_.sse <= sse
    repetition = make_method("optimal", 3, {"iterations": method.n_iter_})
    np.testing.assert_array_equal(repetition.partition(points).labels, labels)


def test_labels_and_members_say_the_same() -> None:
    labels = np.array([0, 1, 0, 2, 1, 2, 0])
    np.testing.assert_array_equal(
        labels_from_groups(groups_from_labels(labels), 7), labels
    )


@pytest.mark.slow
def test_a_tree_comes_to_what_an_integer_programme_comes_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.random.default_rng(8).lognormal(size=(45, 3))
    points = Points.from_array(X)

    def result(**choices: float) -> tuple[float, float, int | None]:
        method = Optimal(3, iterations=40, gap=0.0, **choices)
        sse = total_group_sse(X, method.partition(points).labels)
        assert method.bound_ is not None
        assert method.bound_.sse <= sse
        return sse, method.bound_.sse, method.n_nodes_

    least_sse, _, _ = result()
    # Where regions have tried what there is to gain, the tree does the rest.
    monkeypatch.setattr(proof, "FIRST_REGION_GROUPS", 0)
    sse, bound, _ = result()
    assert sse == pytest.approx(least_sse, rel=1e-12)
    assert bound == pytest.approx(least_sse, rel=1e-9)
    for turns in (5, 12):
        assert result(turns=turns) == result(turns=turns)
