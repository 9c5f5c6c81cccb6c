"""Measures and analyses of finished runs are worked out apart from the server."""

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
from dashboard.state.results.requested import (
    latest_attacks_and_knowledge,
    requested_results,
)
from dashboard.state.workspace import Workspace, resolve_plans
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
    outcome_by_plan = {outcome.plan: outcome for outcome in outcomes}
    return registry.start(table, tuple(outcome_by_plan), outcome_by_plan, asked)


def test_scores_are_those_of_the_engine_and_the_release_is_the_same(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    request = AssessmentRequest(measures=WANTED)
    view = wait(registry, start(registry, firms, done, request))
    assert (view.state, view.message) == ("done", "")
    assert view.asked == request
    for position, outcome in enumerate(done):
        measured_outcome = view.results[position]
        assert isinstance(measured_outcome, Outcome)
        assert measured_outcome.release is outcome.release
        expected = evaluate(outcome, firms, WANTED, outcome.plan.seed)
        assert set(measured_outcome.scores) == {*outcome.scores, *WANTED}
        for name in WANTED:
            assert measured_outcome.scores[name] == expected[name]


def test_figures_come_before_the_last_of_them_is_there(
    firms: Table, done: list[Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assessment, "PARTIAL_WRITE_SECONDS", 0.0)
    outcomes = dict(enumerate(done))
    assessment.write_assessment_job(
        AssessmentRequest(measures=WANTED), outcomes, firms, tmp_path
    )
    (tmp_path / "results").mkdir()
    score_names: list[set[str]] = []

    def look(_share: float, _stage: str) -> None:
        partial_outcomes = assessment.load_partly_assessed_outcomes(tmp_path, outcomes)
        for position, outcome in partial_outcomes.items():
            score_names.append(set(outcome.scores) - set(done[position].scores))

    assessment.run_assessment_job(tmp_path, firms, RunContext(look))
    assert {"record-linkage"} in score_names
    assert {"record-linkage", "variances"} in score_names


def test_a_large_result_comes_with_who_is_told_apart(
    firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(method="md", k=5, quasi_identifiers=firms.schema.quasi_identifiers)
    outcome = run(plan, firms)
    expected = released_uniqueness(outcome.plan, outcome.release, None)
    monkeypatch.setattr(assessment, "MAX_INITIAL_MEASURE_RECORDS", firms.n_records - 1)
    measured_outcome = assessment.copy_with_initial_measures(
        outcome, PreparationCache(firms)
    )
    assert measured_outcome.scores == outcome.scores
    save_outcome(measured_outcome, tmp_path / "result", firms)
    fetched = load_outcome(tmp_path / "result", firms)
    monkeypatch.setattr(pipeline_outcome, "released_uniqueness", None)
    assert isinstance(fetched, Outcome)
    assert fetched.uniqueness == expected


def test_what_nobody_asked_for_gives_way(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    for by_itself in (False, True):
        request = AssessmentRequest(measures=WANTED, by_itself=by_itself)
        view = registry.view_job(start(registry, firms, done, request))
        assert view is not None
        assert (view.is_running, view.is_busy) == (True, not by_itself)


def test_what_is_measured_already_is_done_at_once(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    request = AssessmentRequest(measures=("information-loss", "k-anonymity"))
    view = registry.view_job(start(registry, firms, done, request))
    assert view is not None
    assert view.state == "done"
    assert [view.results[0], view.results[1]] == done


def test_an_analysis_is_that_of_the_engine(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    request = AssessmentRequest(target="bank_debt", model="linear")
    view = wait(registry, start(registry, firms, done[:1], request))
    assert view.state == "done", view.message
    expected = analyse(done[0], firms, "bank_debt", "linear", seed=done[0].plan.seed)
    assert view.findings[0].analysis == expected


def test_attacks_are_those_of_the_engine(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    knowledge = Knowledge(done[0].plan.quasi_identifiers, "rounded", 40)
    request = AssessmentRequest(knowledge=knowledge)
    view = wait(registry, start(registry, firms, done[:1], request))
    assert view.state == "done", view.message
    expected = run_attacks_on_outcome(done[0], firms, knowledge)
    finding = view.findings[0]
    attack_texts = [
        [str(attack_outcome.to_json()) for attack_outcome in all_]
        for all_ in (finding.attacks, expected)
    ]
    assert attack_texts[0] == attack_texts[1]
    ws = workspace_of(firms)
    ws = copy_with_findings(ws, view)
    assert copy_with_findings(ws, view) is ws
    assert latest_attacks_and_knowledge(ws, done[0], firms) == (
        finding.attacks,
        knowledge,
    )


def test_an_analysis_that_makes_no_sense_ends_in_a_sentence(
    registry: JobRegistry, firms: Table, done: list[Outcome]
) -> None:
    request = AssessmentRequest(target="region", model="linear")
    view = wait(registry, start(registry, firms, done[:1], request))
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
    plans = resolve_plans(ws)
    return copy_with_results(ws, firms, plans, dict(enumerate(compare(plans, firms))))


def test_a_workspace_keeps_what_was_measured_when_an_older_view_comes_again(
    firms: Table,
) -> None:
    ws = workspace_of(firms)
    plans = resolve_plans(ws)
    before = dict(enumerate(requested_results(ws).values()))
    measured = dict(before)
    assert isinstance(before[0], Outcome)
    scores = {**before[0].scores, **evaluate(before[0], firms, ["means"])}
    measured[0] = replace(before[0], scores=scores)
    ws = copy_with_results(ws, firms, plans, measured)
    ws = copy_with_results(ws, firms, plans, before)
    first = requested_results(ws)[plans[0]]
    assert not isinstance(first, Failure)
    assert "means" in first.scores


def test_analyses_are_remembered_by_result_column_and_model(firms: Table) -> None:
    ws = workspace_of(firms)
    plans = resolve_plans(ws)
    outcome = requested_results(ws)[plans[0]]
    assert isinstance(outcome, Outcome)
    analysis = analyse(outcome, firms, "bank_debt", "linear")
    ws = copy_with_analyses(ws, firms, plans, {0: analysis})
    assert copy_with_analyses(ws, firms, plans, {0: analysis}) is ws
    ((key, target, model),) = ws.analyses
    assert (key[0], target, model) == (firms.fingerprint, "bank_debt", "linear")
