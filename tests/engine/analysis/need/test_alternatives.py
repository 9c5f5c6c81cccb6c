"""What would meet a missed keep is searched for, and what had no time is named."""

import json
import math
import time
from pathlib import Path
from typing import Any

import pytest

from engine.analysis.need.models.formula import ModelFormula
from engine.analysis.need.models.model_fit import RefittableModel
from engine.analysis.need.models.slopes import interval_overlap_per_slope
from engine.analysis.need.plan_search.alternatives import (
    MAX_PLANS_PER_CHANGE,
    SMALLER_K_SHARE,
)
from engine.analysis.need.plan_search.search import PlanSearch
from engine.analysis.need.plan_search.trials import Trial
from engine.cli.parsing.parser import main
from engine.core.context import SILENT, RunContext
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from tests.engine.analysis.need.cases import MODEL, answered, frame_of, table_of

MISSED = (["k >= 20"], ["overlap >= 0.999"])

ALL_CHANGES = {
    "k = 13 instead of 20",
    "k = 10 instead of 20",
    "k = 3 instead of 20",
    "leave out 1% of the records",
    "leave out 5% of the records",
    *(f"without column {name!r}, also in models" for name in "abg"),
}


def overlap_of(plan: Plan) -> float:
    released = run(plan, table_of(frame_of())).release.frame
    before, after = (
        RefittableModel(ModelFormula.parse(MODEL), frame).fit_before
        for frame in (frame_of(), released)
    )
    return float(interval_overlap_per_slope(before, after).min())


def test_each_change_is_searched_for_with_plans_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[Plan] = []
    measure_plan = PlanSearch._measure_plan

    def watched(search: PlanSearch, plan: Plan, *others: Any) -> Trial:
        tried.append(plan)
        return measure_plan(search, plan, *others)

    monkeypatch.setattr(PlanSearch, "_measure_plan", watched)
    answer = answered(*MISSED, trials=80)
    n_of_best = MAX_PLANS_PER_CHANGE + 1  # and the base
    n_own = math.ceil(80 * SMALLER_K_SHARE)
    assert sum(plan.k == 10 for plan in tried) == n_of_best + n_own
    n_better = 0
    for each in answer.alternatives[:3]:
        with_change = [plan for plan in tried if plan.k == each.plan.k]
        reached = [overlap_of(plan) for plan in with_change]
        assert each.keeps[0].reached == pytest.approx(max(reached))
        n_better += max(reached[n_of_best:]) > max(reached[:n_of_best])
    assert n_better
    assert {str(each.change) for each in answer.alternatives} == ALL_CHANGES
    assert not answer.about_alternatives


def test_an_alternative_is_run_with_the_change_that_it_says() -> None:
    for each in answered(*MISSED, trials=32).alternatives:
        words, plan = str(each.change), each.plan
        if words.startswith("k = "):
            assert (plan.k, plan.suppress) == (int(words.split()[2]), 0.0)
        else:
            assert plan.k >= 20
        if words.startswith("leave out"):
            assert f"{plan.suppress:.0%}" == words.split()[2]
        if words.startswith("without"):
            assert words.split("'")[1] not in plan.quasi_identifiers
        else:
            assert each.keeps[0].reached == pytest.approx(overlap_of(plan))


def test_a_change_that_meets_the_keeps_at_once_is_not_searched_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    extend = PlanSearch.extend

    def watched(search: PlanSearch, *others: Any) -> None:
        sizes.append(search.base.k)
        extend(search, *others)

    monkeypatch.setattr(PlanSearch, "extend", watched)
    answer = answered(["k >= 20"], ["overlap >= 0.7"], trials=40)
    assert answer.answer == "nearest"
    fitting_sizes = {each.plan.k for each in answer.alternatives if each.holds}
    assert 10 in fitting_sizes
    assert 10 not in sizes
    assert {3, 13, 20} <= set(sizes)


@pytest.mark.slow
def test_alternatives_are_the_same_on_any_number_of_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    summaries = []
    for threads in ("1", "2"):
        monkeypatch.setenv("COTERIE_THREADS", threads)
        summary = answered(*MISSED, trials=60).summary()
        summaries.append(json.dumps([summary["would_meet"], summary["other_sizes"]]))
    assert summaries[0] == summaries[1]


class Clock:
    """A clock that only plans move on, by a second a step, until they are given up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.seconds_of = dict[int, int]()
        measure_plan = PlanSearch._measure_plan

        def measure_slowly(
            search: PlanSearch, plan: Plan, ctx: RunContext = SILENT
        ) -> Trial:
            for _ in range(self.seconds_of.get(min(plan.k, 20), 10)):
                self.now += 1.0
                ctx.tick(0.0, 1.0, "")
            return measure_plan(search, plan, ctx)

        monkeypatch.setenv("COTERIE_THREADS", "1")
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(PlanSearch, "_measure_plan", measure_slowly)


def test_changes_that_no_time_is_left_for_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    answer = answered(*MISSED, trials=None, seconds=100.0)
    assert clock.now <= 101.0
    tried = {str(each.change) for each in answer.alternatives}
    assert 0 < len(tried) < len(ALL_CHANGES)
    assert {*map(str, answer.untried)} == ALL_CHANGES - tried
    about_text = str(answer.about_alternatives)
    assert about_text.startswith(
        f"No time was left to try {len(answer.untried)} changes: "
    )
    assert all(str(each) in about_text for each in answer.untried)
    assert answer.summary()["about_would_meet"] == about_text


def test_trials_of_a_search_are_given_up_while_there_is_time_for_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    # All but the first of the search would take until long after the deadline.
    clock.seconds_of = {20: 30, 13: 1, 10: 1, 3: 1}
    answer = answered(*MISSED, trials=None, seconds=100.0)
    assert clock.now <= 101.0
    assert len(answer.tried) == 2
    assert {each.plan.k for each in answer.alternatives} == {3, 10, 13}
    assert len(answer.untried) == 5


def test_the_command_names_what_it_did_not_try(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame_of().to_csv(tmp_path / "f.csv", index=False)
    Clock(monkeypatch)
    words = ["need", str(tmp_path / "f.csv"), "--quasi-identifiers", "a,b,g"]
    words += ["--rule", "k >= 20", "--keep", "overlap >= 0.999", "--model", MODEL]
    words += ["--seconds", "100", "--json", str(tmp_path / "need.json")]
    assert main(words) == 0
    answer = json.loads((tmp_path / "need.json").read_text(encoding="utf-8"))
    assert answer["about_would_meet"].startswith("No time was left to try ")
    assert f"{answer['about_would_meet']}\n" in capsys.readouterr().out


@pytest.mark.slow
def test_each_change_is_tried_before_any_is_with_several_of_the_best_plans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes = []
    tried = PlanSearch.try_plan_in_time

    def watched(search: PlanSearch, plan: Plan, *others: Any) -> Trial | None:
        k = 20 if 20 <= plan.k < 30 else plan.k  # as the search itself varies it
        change = (k, plan.suppress, tuple(sorted(plan.quasi_identifiers)))
        if change != (20, 0.0, ("a", "b", "g")):
            changes.append(change)
        return tried(search, plan, *others)

    monkeypatch.setattr(PlanSearch, "try_plan_in_time", watched)
    answer = answered(["k >= 20"], ["overlap >= 0.999"], trials=80)
    n = 5 + 2 + 3  # sizes, shares of records, columns
    assert len(set(changes[:n])) == len(set(changes)) == n
    assert len(changes) > 2 * n
    (smaller,) = (
        each for each in answer.alternatives if str(each.change).startswith("k = 10 ")
    )
    best = sorted((t for t in answer.tried if t.is_feasible), key=lambda t: t.rank)[:4]
    plans = [answer.tried[0].plan, *(trial.plan for trial in best)]
    before = RefittableModel(ModelFormula.parse(MODEL), frame_of()).fit_before
    reached = []
    for plan in plans:
        released = run(plan.replace(k=10), table_of(frame_of())).release.frame
        after = RefittableModel(ModelFormula.parse(MODEL), released).fit_before
        reached.append(interval_overlap_per_slope(before, after).min())
    assert smaller.keeps[0].reached == pytest.approx(max(reached))


def test_a_column_that_is_left_out_is_in_neither_release_nor_model() -> None:
    answer = answered(["k >= 20"], ["overlap >= 0.999"], trials=9)
    (dropped,) = (
        each for each in answer.alternatives if "column 'a'" in str(each.change)
    )
    outcome = run(dropped.plan, table_of(frame_of()))
    assert "a" not in outcome.release.frame
    fits = [
        RefittableModel(ModelFormula.parse("y ~ b + g"), frame)
        for frame in (frame_of(), outcome.release.frame)
    ]
    twin = interval_overlap_per_slope(*(fit.fit_before for fit in fits)).min()
    assert dropped.keeps[0].reached == pytest.approx(twin)


def test_a_column_that_is_left_out_is_not_taken_for_the_one_of_people() -> None:
    """Its values may repeat as identifiers do."""
    frame = frame_of().assign(b=lambda f: f["b"].rank().astype(int) // 2 + 1000)
    answer = answered(
        ["k >= 20"], ["overlap >= 0.999"], trials=3, table=table_of(frame)
    )
    (dropped,) = (
        each for each in answer.alternatives if "column 'b'" in str(each.change)
    )
    assert resolve_plan(dropped.plan, table_of(frame)).person == "each"
