"""A search ends with its time, and says what it left unknown."""

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.analysis.attacks import AttackScene, attacks
from engine.analysis.attacks import run as attack_runs
from engine.analysis.attacks.base import Matching
from engine.analysis.need import read_rules_and_sets
from engine.analysis.need.answer import compare_with_rules
from engine.analysis.need.parsed_need import make_base_plan
from engine.analysis.need.plan_search import sizes
from engine.analysis.need.plan_search.search import PlanSearch
from engine.analysis.need.plan_search.sizes import plan_with_smallest_k
from engine.analysis.need.plan_search.trials import (
    Trial,
    methods_no_slower_than_least_loss,
)
from engine.bounds import NO_BOUND
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled
from engine.core.message import Topic
from engine.files import read_table
from engine.kernels.compilation import compiling
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.analysis.need.cases import answered, frame_of, people_table, table_of


def test_attacks_end_with_the_time_and_what_they_leave_unknown_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried, needed = list[str](), attack_runs._required_matching

    def wait(scene: AttackScene, name: str) -> Matching:
        tried.append(name)
        time.sleep(0.4)
        return needed(scene, name)

    monkeypatch.setattr(attack_runs, "_required_matching", wait)
    table = table_of(frame_of())
    answer = answered(["k >= 5", "attack <= 0.5"], [], trials=None, seconds=2.0)
    assert len(tried) < len(attacks)
    assert answer.counted_seconds < 3.0
    k_rule, attack = answer.rules
    assert k_rule.held
    assert (answer.answer, attack.reached, attack.held) == ("open", None, False)
    assert "Time was over before 'attack <= 0.5' was measured" in answer.sentence
    assert answer.summary()["rules"][1]["reached"] is None
    ctx = RunContext(cancelled=lambda: True)
    outcome = run(Plan(method="mdav", k=5), table, bound=NO_BOUND)
    rules = read_rules_and_sets(["attack <= 0.5"])
    with pytest.raises(Cancelled):  # by somebody, and not by time
        compare_with_rules(rules, outcome, table, ctx=ctx)
    (late,) = compare_with_rules(rules, outcome, table, deadline=0.0)
    assert late.reached is None


@pytest.mark.slow
def test_a_release_known_to_withstand_attacks_is_taken_when_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needed, extend = attack_runs._required_matching, PlanSearch.extend

    def wait(scene: AttackScene, name: str) -> Matching:
        time.sleep(1.0)
        return needed(scene, name)

    def extend_then_wait(*arguments: Any, **options: Any) -> None:
        extend(*arguments, **options)
        monkeypatch.setattr(attack_runs, "_required_matching", wait)

    monkeypatch.setattr(PlanSearch, "extend", extend_then_wait)
    rules, keeps = ["k >= 5", "attack <= 1"], ["overlap >= 0.99"]
    answer = answered(rules, keeps, trials=None, seconds=5.0)
    assert answer.answer == "nearest"
    assert len(answer.tried) > 1
    assert answer.plan == answer.tried[0].plan
    assert [rule.held for rule in answer.rules] == [True, True]


def test_a_search_for_k_that_time_ends_goes_on_from_the_largest_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []

    def run_or_end(plan: Plan, *arguments: Any, **options: Any) -> Outcome:
        if len(tried) == 3:
            raise Cancelled("Time is over.")
        tried.append(plan.k)
        return run(plan, *arguments, **options)

    monkeypatch.setattr(sizes, "run", run_or_end)
    table, rules = table_of(frame_of()), read_rules_and_sets(["uniques <= 0"])
    plan = Plan(method="mdav", k=2, quasi_identifiers=("a", "b"))
    began = plan_with_smallest_k(table, plan, rules, None)
    assert began.k == max(tried) > 2


def test_a_batch_ends_with_the_time_and_not_with_its_last_plan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Trials whose groups are of persons take seconds each."""
    monkeypatch.setenv("COTERIE_THREADS", "1")
    requirements = (["k >= 5"], ["overlap >= 0.9"])
    whole = answered(*requirements, trials=30)
    readings = iter(range(10_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(readings)))
    answer = answered(*requirements, trials=None, seconds=200.0)
    assert 1 < len(answer.tried) < 30
    assert answer.tried == whole.tried[: len(answer.tried)]
    # No step after the search has its own time: each looks at the clock.
    assert next(readings) < 250


def test_the_time_of_a_search_stands_still_while_kernels_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a fresh machine its kernels compile for as long as a search lasts."""
    monkeypatch.setenv("COTERIE_THREADS", "1")
    readings, measure_plan = iter(range(100_000)), PlanSearch._measure_plan

    def compile_first(search: PlanSearch, *arguments: Any) -> Trial:
        compiling.report_compiling_begun()
        for _ in range(1000):  # far beyond all that is asked for
            time.monotonic()
        compiling.report_compiling_ended()
        return measure_plan(search, *arguments)

    monkeypatch.setattr(time, "monotonic", lambda: float(next(readings)))
    monkeypatch.setattr(PlanSearch, "_measure_plan", compile_first)
    monkeypatch.setattr(compiling, "_compiling_seconds", 0.0)  # and back at the end
    answer = answered(["k >= 5"], ["overlap >= 0.9"], trials=None, seconds=200.0)
    assert len(answer.tried) > 1
    assert answer.seconds > 1000.0  # of the wall


def test_groups_of_people_that_time_ends_are_those_of_the_outcome() -> None:
    table = people_table()
    base = Plan(method="mdav", k=2, person=("person",), intruder_knows="all")
    plan = make_base_plan(table, base, read_rules_and_sets(["k >= 4"]), 0)
    search = PlanSearch(table, plan, (), ())
    search.begin(SILENT, deadline=0.0)
    outcome = search.outcome_of(plan, NO_BOUND)
    assert any(each.topic is Topic.STOPPED for each in outcome.warnings)
    (trial,) = search.trials
    assert trial.smallest == outcome.k_released >= 4
    second_search = PlanSearch(table, plan, (), ())
    second_search.begin(SILENT)
    assert second_search.outcome_of(plan, NO_BOUND).warnings == tuple(
        each for each in outcome.warnings if each.topic is not Topic.STOPPED
    )
    assert second_search.try_plan_in_time(plan.replace(k=5), 0.0) is None


def test_the_plans_of_a_large_table_do_not_depend_on_the_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = np.random.default_rng(0).normal(size=(100_000, 5))
    frame = pd.DataFrame(numbers, columns=[*"abcde"])
    table = read_table(frame, roles=dict.fromkeys(frame, "quasi-identifier"))
    groupings = set()
    for threads in ("1", "2", "64"):
        monkeypatch.setenv("COTERIE_THREADS", threads)
        base = make_base_plan(table, None, (), 0).replace(k=40)
        groupings.add(
            tuple(
                method for method, _ in methods_no_slower_than_least_loss(table, base)
            )
        )
    assert len(groupings) == 1
