"""What begins by itself: as much as takes little time, the k looked at first."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from dashboard.state import session
from dashboard.state.new_tables.new_table import copy_with_sample
from dashboard.state.results.runs import StartedRun
from dashboard.state.snapshots.restore import take_snapshot
from dashboard.state.workspace import Workspace, resolve_plans
from dashboard.ui.runs import auto_run, durations
from dashboard.ui.runs.auto_run import MAX_AUTOSTART_SECONDS, select_plans_within_limit

EACH = {"mdav": 2.0, "refined": 6.0, "vmdav": 3.0}


@pytest.fixture
def ws(monkeypatch):
    """Return a workspace whose runs take as long as EACH says."""

    def seconds(plan, table, bound=True):
        return EACH[plan.method]

    monkeypatch.setattr(auto_run, "expected_seconds", seconds)
    monkeypatch.setattr(
        durations,
        "expected_run_seconds",
        lambda todo, table: sum(EACH[run_plan.method] for run_plan in todo),
    )
    return replace(copy_with_sample(Workspace()), methods=tuple(EACH))


def test_the_fastest_method_at_the_k_looked_at_comes_first(ws):
    soon = select_plans_within_limit(resolve_plans(ws), ws.table, 5)
    assert [(plan.method, plan.k) for plan in soon] == [
        ("mdav", 5),
        ("vmdav", 5),
        ("mdav", 3),
        ("vmdav", 3),
    ]
    assert sum(EACH[plan.method] for plan in soon) <= MAX_AUTOSTART_SECONDS


def test_nothing_begins_by_itself_that_takes_long(ws, monkeypatch):
    monkeypatch.setitem(EACH, "mdav", MAX_AUTOSTART_SECONDS + 1)
    only = [plan for plan in resolve_plans(ws) if plan.method == "mdav"]
    assert select_plans_within_limit(only, ws.table, 5) == []


@pytest.fixture
def tab(ws, monkeypatch):
    """Return the workspace of a tab, and lists of the runs begun and cancelled."""
    started, cancelled, tab_state = [], [], {"ws": ws}

    def update(**changes):
        tab_state["ws"] = replace(tab_state["ws"], **changes)
        return tab_state["ws"]

    def start(table, asked, known_results):
        started.append(asked)
        return f"job {len(started)}"

    def begin(job, is_automatic):
        assert is_automatic
        started_run = StartedRun(job, take_snapshot(tab_state["ws"]), is_automatic)
        return update(job=job, begun=started_run)

    monkeypatch.setattr(session, "workspace", lambda: tab_state["ws"])
    monkeypatch.setattr(session, "update_workspace", update)
    monkeypatch.setattr(session, "set_current_job", begin)
    monkeypatch.setattr(session, "merge_job_results", lambda view: tab_state["ws"])
    monkeypatch.setattr(auto_run, "run_obstacles", lambda ws: [])
    monkeypatch.setattr(auto_run.jobs, "start_run", start)
    monkeypatch.setattr(auto_run.jobs, "view_job", lambda job: None)
    monkeypatch.setattr(auto_run.jobs, "cancel_job", cancelled.append)
    return tab_state, started, cancelled


def test_what_takes_long_waits_and_does_not_begin_when_the_rest_is_there(
    tab, monkeypatch
):
    tab_state, started, _ = tab
    auto_run.autostart_run()
    (soon,) = started
    assert 0 < len(soon) < len(resolve_plans(tab_state["ws"]))
    monkeypatch.setattr(session, "requested_results", lambda ws: dict.fromkeys(soon))
    auto_run.autostart_run()
    assert len(started) == 1
    # Other choices are another matter.
    session.update_workspace(methods=("mdav", "vmdav"))
    auto_run.autostart_run()
    assert len(started) == 2
    assert set(started[1]) == set(resolve_plans(tab_state["ws"]))


@pytest.mark.parametrize("known", [False, True])
def test_a_run_that_nobody_asks_for_any_more_ends_where_none_takes_its_place(
    tab, monkeypatch, known
):
    """The next choices take long, or have their results already."""
    tab_state, started, cancelled = tab
    session.update_workspace(methods=("mdav",))
    auto_run.autostart_run()
    running = SimpleNamespace(plans=tuple(started[0]), is_busy=True, is_running=True)
    monkeypatch.setattr(
        auto_run.jobs, "view_job", lambda job: running if job == "job 1" else None
    )
    auto_run.autostart_run()
    assert cancelled == []
    session.update_workspace(methods=("refined",))
    plans = resolve_plans(tab_state["ws"])
    if known:
        monkeypatch.setattr(
            session, "requested_results", lambda ws: dict.fromkeys(plans)
        )
    monkeypatch.setitem(EACH, "refined", MAX_AUTOSTART_SECONDS + 1)
    auto_run.autostart_run()
    assert (len(started), cancelled, tab_state["ws"].job) == (1, ["job 1"], None)
