"""Runs that are over are listed with their choices and figures, to go back to."""

from dataclasses import replace

import pytest

from dashboard.jobs.job_view import JobView
from dashboard.state.caches import memo
from dashboard.state.caches.memo import memo_key
from dashboard.state.results import run_log, runs
from dashboard.state.results.job_results import copy_with_results
from dashboard.state.results.requested import requested_outcomes, requested_results
from dashboard.state.results.run_log import copy_with_finished_run
from dashboard.state.results.runs import FinishedRun, StartedRun
from dashboard.state.snapshots import snapshot
from dashboard.state.snapshots.restore import copy_with_snapshot, take_snapshot
from dashboard.state.workspace import resolve_plans
from dashboard.ui.runs.run_list import run_vs_current_loss_table
from engine.pipeline.compare import Failure, compare
from tests.dashboard.pages import small_table, with_table
from tests.dashboard.runs import NOW, ran


def test_a_run_that_is_over_is_listed_with_its_best_result() -> None:
    ws = ran(with_table(small_table()))
    (run,) = ws.runs
    assert runs.run_title(run) == "Run 1 · firms.csv, 2 methods × 2 k"
    assert run.whole
    plan, figure = runs.best_plan_and_summary_of_run(run)
    assert figure.lost == min(
        outcome.information_loss for outcome in requested_outcomes(ws)
    )
    assert plan in resolve_plans(ws)
    assert ran(ws).runs[-1].number == 2


def test_what_ran_is_said_shortly() -> None:
    ws = ran(with_table(small_table(), methods=("vmdav",), sizes=(4,)))
    assert runs.describe_run(ws.runs[0]) == "firms.csv, V-MDAV, k = 4"


@pytest.mark.parametrize("state", ["running", "done"])
def test_only_an_end_with_results_is_listed(state: str) -> None:
    ws = with_table(small_table())
    plans = resolve_plans(ws)
    results = {} if state == "done" else {0: Failure(plans[0], "No.")}
    view = JobView(state, 0.5, "", ws.table, plans, results, "", 1.0)
    ws = replace(ws, job="job", begun=StartedRun("job", take_snapshot(ws)))
    assert copy_with_finished_run(ws, view, NOW).runs == ()


def test_a_cancelled_run_is_listed_with_what_had_finished() -> None:
    ws = ran(with_table(small_table()), "cancelled", cut=1)
    (run,) = ws.runs
    assert not run.whole
    assert len(run.figures) == 1
    assert len(run.plans) == 4


def test_a_run_is_listed_once() -> None:
    ws = with_table(small_table())
    plans = resolve_plans(ws)
    view = JobView(
        "done", 1.0, "", ws.table, plans, {0: Failure(plans[0], "No.")}, "", 1
    )
    ws = replace(ws, job="job", begun=StartedRun("job", take_snapshot(ws)))
    finished_workspace = copy_with_finished_run(ws, view, NOW)
    assert copy_with_finished_run(finished_workspace, view, NOW) is finished_workspace
    assert len(finished_workspace.runs) == 1


def test_going_back_restores_the_choices_the_run_began_with_and_its_results() -> None:
    first = ran(with_table(small_table()))
    changed = replace(first, sizes=(7,), methods=("vmdav",), scaling="range")
    table = small_table(30).assign(roles={"debt": "quasi-identifier"})
    other_workspace = ran(replace(changed, table=table))
    back = copy_with_snapshot(other_workspace, first.runs[0].snapshot)
    assert requested_results(back) == requested_results(first)
    assert back.table.schema == first.table.schema
    assert (back.sizes, back.methods, back.scaling) == (
        (3, 5),
        ("mdav", "md"),
        "zscore",
    )


def test_choices_changed_while_it_ran_are_not_the_runs() -> None:
    ws = with_table(small_table())
    plans = resolve_plans(ws)
    started_run = StartedRun("job", take_snapshot(ws))
    view = JobView(
        "done", 1.0, "", ws.table, plans, {0: Failure(plans[0], "No.")}, "", 1
    )
    ws = copy_with_finished_run(
        replace(ws, job="job", begun=started_run, sizes=(9,)), view, NOW
    )
    assert copy_with_snapshot(ws, ws.runs[0].snapshot).sizes == (3, 5)
    assert (
        resolve_plans(copy_with_snapshot(ws, ws.runs[0].snapshot)) == ws.runs[0].plans
    )


def test_a_name_can_be_changed_and_a_run_deleted() -> None:
    ws = ran(ran(with_table(small_table())))
    ws = run_log.copy_with_renamed_run(ws, 1, "  Before the fix ")
    assert [runs.run_title(run) for run in ws.runs] == [
        "Before the fix",
        "Run 2 · firms.csv, 2 methods × 2 k",
    ]
    ws = run_log.copy_without_run(ws, 1)
    assert [run.number for run in ws.runs] == [2]
    assert run_log.copy_without_run(ws, 1) is ws


def test_a_name_that_is_taken_out_is_the_usual_one() -> None:
    ws = run_log.copy_with_renamed_run(ran(with_table(small_table())), 1, "x")
    assert runs.run_title(run_log.copy_with_renamed_run(ws, 1, "").runs[0]).startswith(
        "Run 1 · "
    )


def test_results_of_a_deleted_run_go_unless_they_are_needed() -> None:
    ws = ran(ran(with_table(small_table(), sizes=(3, 5))))
    ws = ran(replace(ws, sizes=(5, 7)))
    rest = run_log.copy_without_run(run_log.copy_without_run(ws, 1), 2)
    assert {key for run in rest.runs for key in run.keys} == set(rest.memo)
    assert set(run_log.copy_without_run(rest, 3).memo) == set(rest.memo)  # chosen now
    other_workspace = replace(rest, sizes=(9,))
    assert not run_log.copy_without_run(other_workspace, 3).memo
    pin = rest.requested_plans[0]
    pinned = replace(other_workspace, pinned=(pin[0],))
    assert set(run_log.copy_without_run(pinned, 3).memo) == {pin[1]}


def test_results_beside_the_current_ones() -> None:
    ws = ran(with_table(small_table()))
    table = run_vs_current_loss_table(replace(ws, methods=("mdav",)), ws.runs[0])
    assert table["Method"].tolist() == ["MDAV", "MD", "MDAV", "MD"]
    assert table["k"].tolist() == [3, 3, 5, 5]
    assert table["Difference"].tolist()[::2] == [0.0, 0.0]
    assert table["Lost now (%)"].isna().tolist() == [False, True, False, True]


def test_only_so_many_runs_are_listed_and_old_ones_lose_their_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs, "MAX_LISTED_RUNS", 3)
    ws = with_table(small_table(), methods=("mdav",), sizes=(3,))
    for _ in range(4):
        ws = ran(replace(ws, table=small_table()))
    assert [run.number for run in ws.runs] == [2, 3, 4]
    size = snapshot.frame_nbytes(ws.table.frame)
    monkeypatch.setattr(runs, "MAX_RUN_TABLE_BYTES", size)
    trimmed_runs = runs.trim_runs(ws.runs, ws.table.frame)
    assert [run.snapshot.frame is None for run in trimmed_runs] == [True, False, False]
    assert trimmed_runs[0].snapshot.source == ws.runs[0].snapshot.source


def test_results_of_listed_runs_are_forgotten_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ws = ran(with_table(small_table(), methods=("mdav",), sizes=(3,)))
    plans = resolve_plans(replace(ws, seed=1))
    ws = copy_with_results(
        ws, ws.table, plans, dict(enumerate(compare(plans, ws.table)))
    )
    monkeypatch.setattr(memo, "MAX_RESULTS", 2)
    ws = replace(ws, seed=2)
    ws = copy_with_results(
        ws,
        ws.table,
        resolve_plans(ws),
        dict(enumerate(compare(resolve_plans(ws), ws.table))),
    )
    assert set(ws.memo) == {
        *ws.runs[0].keys,
        *(memo_key(ws.table, p) for p in resolve_plans(ws)),
    }


def test_a_run_knows_no_more_than_its_snapshot() -> None:
    ws = ran(with_table(small_table()))
    run: FinishedRun = ws.runs[0]
    assert run.snapshot.frame is ws.table.frame
    assert run.keys == tuple(memo_key(ws.table, plan) for plan in run.plans)
