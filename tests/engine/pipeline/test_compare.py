"""Comparing gives what single runs give, and one failure leaves the others."""

import numpy as np
import pandas as pd
import pytest

from engine.bounds import NO_BOUND
from engine.core.context import RunContext
from engine.core.errors import Cancelled, InfeasibleError, ParameterError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline import compare as comparing
from engine.pipeline.compare import Failure, PlanRunner, compare, grid
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


@pytest.fixture
def table() -> Table:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    names = dict.fromkeys(frame.columns, "quasi-identifier")
    return read_table(frame).assign(
        roles=names, kinds=dict.fromkeys(names, "continuous")
    )


def test_a_grid_has_every_method_with_every_k_once() -> None:
    plans = grid(Plan(seed=2), ["mdav", "cbfs", "mdav"], [3, 5, 3])
    assert [(plan.method, plan.k) for plan in plans] == [
        ("mdav", 3),
        ("mdav", 5),
        ("cbfs", 3),
        ("cbfs", 5),
    ]
    assert {plan.seed for plan in plans} == {2}


def test_a_parameter_goes_to_the_methods_that_have_it() -> None:
    plans = grid(Plan(), ["mdav", "vmdav"], [3], {"gamma": 0.5})
    assert plans[0].parameters == {}
    assert plans[1].parameters == {"gamma": 0.5, "rest": "centroid"}
    with pytest.raises(ParameterError, match="'delta'"):
        grid(Plan(), ["mdav", "vmdav"], [3], {"delta": 0.5})


def test_polishing_adds_a_plan_where_it_is_possible() -> None:
    plans = grid(Plan(polish=True), ["mdav", "individual-ranking", "refined"], [3, 5])
    assert [(plan.method, plan.polish, plan.k) for plan in plans] == [
        ("mdav", False, 3),
        ("mdav", False, 5),
        ("mdav", True, 3),
        ("mdav", True, 5),
        ("individual-ranking", False, 3),
        ("individual-ranking", False, 5),
        ("refined", False, 3),
        ("refined", False, 5),
    ]
    with pytest.raises(ParameterError, match="No method of this comparison can be pol"):
        grid(Plan(polish=True), ["refined", "individual-ranking"], [3])


def test_compared_outcomes_equal_single_runs(table: Table) -> None:
    plans = grid(Plan(), ["mdav", "cbfs"], [3, 7])
    for plan, result in zip(plans, compare(plans, table), strict=True):
        single_outcome = run(plan, table)
        assert isinstance(result, Outcome)
        np.testing.assert_array_equal(
            result.partition.labels, single_outcome.partition.labels
        )
        assert result.information_loss == single_outcome.information_loss
        assert result.bound == single_outcome.bound


def test_one_failure_leaves_the_other_results(table: Table) -> None:
    plans = grid(Plan(), ["mdav", "hansen-mukherjee"], [3])
    positions: list[int] = []
    results = compare(plans, table, on_result=lambda i, result: positions.append(i))
    assert isinstance(results[0], Outcome)
    assert isinstance(results[1], Failure)
    assert "one attribute" in results[1].message
    assert positions == [0, 1]


def test_check_says_beforehand_what_running_would(table: Table) -> None:
    comparison = PlanRunner(table)
    comparison.check_plan(Plan(k=60))
    with pytest.raises(InfeasibleError, match="fewer"):
        comparison.check_plan(Plan(k=61))
    with pytest.raises(ParameterError, match="one attribute"):
        comparison.check_plan(Plan(method="hansen-mukherjee"))


def test_results_before_a_cancel_are_kept(table: Table) -> None:
    plans = grid(Plan(), ["mdav", "cbfs"], [3])
    positions: list[int] = []
    ctx = RunContext(cancelled=lambda: len(positions) == 1)
    with pytest.raises(Cancelled):
        compare(plans, table, ctx, lambda i, result: positions.append(i))
    assert positions == [0]


def test_progress_over_all_plans_never_goes_back(table: Table) -> None:
    shares: list[float] = []
    ctx = RunContext(report=lambda share, stage: shares.append(share))
    compare(grid(Plan(), ["mdav", "cbfs"], [3, 4]), table, ctx)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_groups_are_told_before_a_late_bound_and_the_results_are_the_same(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = grid(Plan(), ["mdav", "vmdav", "md"], [3, 5])
    plans += (Plan(method="iterated", k=3, parameters={"seconds": 0.1}),)
    expected = compare(plans[:-1], table)
    monkeypatch.setattr(comparing, "EARLY_RESULT_BOUND_SECONDS", -1.0)
    early: dict[int, Outcome] = {}

    def hear(position: int, outcome: Outcome) -> None:
        early[position] = outcome

    results = compare(plans, table, on_early=hear)
    # One for each k, whose bound the others share; a search knows it first.
    assert sorted(early) == [0, 1]
    for position, result in enumerate(expected):
        same = results[position]
        assert isinstance(result, Outcome)
        assert isinstance(same, Outcome)
        assert same.bound == result.bound
        assert same.bound.per_cent > 0.0
        assert same.information_loss == result.information_loss
        assert same.warnings == result.warnings
        np.testing.assert_array_equal(same.partition.labels, result.partition.labels)
    assert {result.bound for result in early.values()} == {NO_BOUND}
    assert early[1].information_loss == expected[1].information_loss  # type: ignore[union-attr]


def test_whoever_has_nothing_yet_sees_the_groups_that_a_search_begins_with(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = grid(Plan(), ["blocked", "mdav"], [3, 5])
    expected = compare(plans, table)
    monkeypatch.setattr(comparing, "EARLY_RESULT_METHOD_SECONDS", -1.0)
    early: list[tuple[int, Outcome]] = []
    results = compare(plans, table, on_early=lambda *one: early.append(one))
    ((position, first),) = early
    assert position == 0
    assert [one.topic for one in first.warnings].count("improving") == 1
    # One block: what MDAV makes of all records.
    mdav = expected[2]
    assert isinstance(mdav, Outcome)
    np.testing.assert_array_equal(first.partition.labels, mdav.partition.labels)
    pd.testing.assert_frame_equal(first.release.frame, mdav.release.frame)
    for one, same in zip(expected, results, strict=True):
        assert isinstance(one, Outcome)
        assert isinstance(same, Outcome)
        assert "improving" not in {warning.topic for warning in same.warnings}
        assert same.warnings == one.warnings
        np.testing.assert_array_equal(same.partition.labels, one.partition.labels)


def test_groups_of_some_records_are_not_told_as_those_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparing, "EARLY_RESULT_METHOD_SECONDS", -1.0)
    values = np.random.default_rng(0).normal(size=(60, 2))
    frame = pd.DataFrame(values, columns=["a", "b"]).assign(region=["x", "y"] * 30)
    columns = tuple(
        Column(name, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for name in "ab"
    )
    region = Column("region", Kind.NOMINAL, Role.OTHER)
    table = Table.from_frame(frame, Schema((*columns, region)))
    early: list[Outcome] = []
    for plan in (
        Plan(method="blocked", k=3, strata="region"),
        Plan(method="blocked", k=3, blocks=(("a",), ("b",))),
    ):
        (result,) = compare(
            [plan], table, on_early=lambda _, outcome: early.append(outcome)
        )
        assert isinstance(result, Outcome)
    assert not early
