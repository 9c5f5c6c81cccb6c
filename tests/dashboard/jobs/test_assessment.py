"""Measures and analyses of finished runs are worked out apart from the server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.jobs import assessment
from dashboard.jobs.assessment import AssessmentRequest
from dashboard.jobs.registry import JobRegistry
from dashboard.state.results.job_results import (
    copy_with_analyses,
    copy_with_findings,
    copy_with_results,
)
from dashboard.state.workspace import (
    Workspace,
    latest_attacks_and_knowledge,
    requested_results,
    resolve_plans,
)
from engine.analysis import analyse
from engine.analysis.attacks import Knowledge
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.core.context import RunContext
from engine.data.table import Table
from engine.pipeline import outcome as pipeline_outcome
from engine.pipeline.compare import Failure, compare
from engine.pipeline.evaluate import evaluate
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome, released_uniqueness
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.storage.outcomes import load_outcome, save_outcome
from tests.dashboard.jobs.runs import wait

WANTED = ("record-linkage", "variances", "t-closeness")


@pytest.fixture(scope="module")
def done(firms: Table) -> list[Outcome]:
    return [run(Plan(method="mdav", k=k), firms) for k in (3, 5)]


def start(
    registry: JobRegistry,
    table: Table,
    outcomes: list[Outcome],
    asked: AssessmentRequest,
) -> str:
    known = {outcome.plan: outcome for outcome in outcomes}
    return registry.start(table, tuple(known), known, asked)


def test_scores_are_those_of_the_engine_and_the_release_is_the_same(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    asked = AssessmentRequest(measures=WANTED)
    view = wait(registry, start(registry, firms, done, asked))
    assert (view.state, view.message) == ("done", "")
    assert view.asked == asked
    for position, outcome in enumerate(done):
        found = view.results[position]
        assert isinstance(found, Outcome)
        assert found.release is outcome.release
        expected = evaluate(outcome, firms, WANTED, outcome.plan.seed)
        assert set(found.scores) == {*outcome.scores, *WANTED}
        for name in WANTED:
            assert found.scores[name] == expected[name]


def test_figures_come_before_the_last_of_them_is_there(
    firms: Table, done: list[Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assessment, "PARTIAL_WRITE_SECONDS", 0.0)
    known = dict(enumerate(done))
    assessment.write_assessment_job(
        AssessmentRequest(measures=WANTED), known, firms, tmp_path
    )
    (tmp_path / "results").mkdir()
    seen: list[set[str]] = []

    def look(_share: float, _stage: str) -> None:
        found = assessment.load_partly_assessed_outcomes(tmp_path, known)
        for position, outcome in found.items():
            seen.append(set(outcome.scores) - set(done[position].scores))

    assessment.run_assessment_job(tmp_path, firms, RunContext(look))
    assert {"record-linkage"} in seen
    assert {"record-linkage", "variances"} in seen


def test_a_large_result_comes_with_who_is_told_apart(
    firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(method="md", k=5, quasi_identifiers=firms.schema.quasi_identifiers)
    found = run(plan, firms)
    expected = released_uniqueness(found.plan, found.release, None)
    monkeypatch.setattr(assessment, "MAX_INITIAL_MEASURE_RECORDS", firms.n_records - 1)
    shown = assessment.copy_with_initial_measures(found, PreparationCache(firms))
    assert shown.scores == found.scores
    save_outcome(shown, tmp_path / "result", firms)
    fetched = load_outcome(tmp_path / "result", firms)
    monkeypatch.setattr(pipeline_outcome, "released_uniqueness", None)
    assert isinstance(fetched, Outcome)
    assert fetched.uniqueness == expected


def test_what_nobody_asked_for_gives_way(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    for by_itself in (False, True):
        asked = AssessmentRequest(measures=WANTED, by_itself=by_itself)
        view = registry.view_job(start(registry, firms, done, asked))
        assert view is not None
        assert (view.is_running, view.is_busy) == (True, not by_itself)


def test_what_is_measured_already_is_done_at_once(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    asked = AssessmentRequest(measures=("information-loss", "k-anonymity"))
    view = registry.view_job(start(registry, firms, done, asked))
    assert view is not None
    assert view.state == "done"
    assert [view.results[0], view.results[1]] == done


def test_an_analysis_is_that_of_the_engine(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    asked = AssessmentRequest(target="bank_debt", model="linear")
    view = wait(registry, start(registry, firms, done[:1], asked))
    assert view.state == "done", view.message
    expected = analyse(done[0], firms, "bank_debt", "linear", seed=done[0].plan.seed)
    assert view.findings[0].analysis == expected


def test_attacks_are_those_of_the_engine(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    knowledge = Knowledge(done[0].plan.quasi_identifiers, "rounded", 40)
    asked = AssessmentRequest(knowledge=knowledge)
    view = wait(registry, start(registry, firms, done[:1], asked))
    assert view.state == "done", view.message
    expected = run_attacks_on_outcome(done[0], firms, knowledge)
    found = view.findings[0]
    told = [[str(one.to_json()) for one in all_] for all_ in (found.attacks, expected)]
    assert told[0] == told[1]
    ws = workspace_of(firms)
    ws = copy_with_findings(ws, view)
    assert copy_with_findings(ws, view) is ws
    assert latest_attacks_and_knowledge(ws, done[0], firms) == (
        found.attacks,
        knowledge,
    )


def test_an_analysis_that_makes_no_sense_ends_in_a_sentence(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    asked = AssessmentRequest(target="region", model="linear")
    view = wait(registry, start(registry, firms, done[:1], asked))
    assert view.state == "failed"
    assert "'region' holds no numbers" in view.message


def test_measuring_can_be_cancelled_and_leaves_the_results_as_they_were(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    job_id = start(
        registry, firms, done, AssessmentRequest(measures=("probabilistic-linkage",))
    )
    registry.cancel_job(job_id)
    view = registry.view_job(job_id)
    assert view is not None
    assert view.state == "cancelled"
    assert not view.results


def workspace_of(firms: Table) -> Workspace:
    ws = Workspace(table=firms, methods=("mdav",), sizes=(3, 5))
    asked = resolve_plans(ws)
    return copy_with_results(ws, firms, asked, dict(enumerate(compare(asked, firms))))


def test_a_workspace_keeps_what_was_measured_when_an_older_view_comes_again(
    firms: Table,
) -> None:
    ws = workspace_of(firms)
    asked = resolve_plans(ws)
    before = dict(enumerate(requested_results(ws).values()))
    measured = dict(before)
    assert isinstance(before[0], Outcome)
    scores = {**before[0].scores, **evaluate(before[0], firms, ["means"])}
    measured[0] = replace(before[0], scores=scores)
    ws = copy_with_results(ws, firms, asked, measured)
    ws = copy_with_results(ws, firms, asked, before)
    first = requested_results(ws)[asked[0]]
    assert not isinstance(first, Failure)
    assert "means" in first.scores


def test_analyses_are_remembered_by_result_column_and_model(firms: Table) -> None:
    ws = workspace_of(firms)
    asked = resolve_plans(ws)
    outcome = requested_results(ws)[asked[0]]
    assert isinstance(outcome, Outcome)
    found = analyse(outcome, firms, "bank_debt", "linear")
    ws = copy_with_analyses(ws, firms, asked, {0: found})
    assert copy_with_analyses(ws, firms, asked, {0: found}) is ws
    ((key, target, model),) = ws.analyses
    assert (key[0], target, model) == (firms.fingerprint, "bank_debt", "linear")
