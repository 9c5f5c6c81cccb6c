"""What begins by itself: as much as takes little time, the k looked at first."""

from dataclasses import replace

import pytest

from dashboard.state import session
from dashboard.state.new_table import with_sample
from dashboard.state.workspace import Workspace, plans
from dashboard.ui import auto_run, durations
from dashboard.ui.auto_run import SECONDS, soon_done

EACH = {"mdav": 2.0, "refined": 6.0, "vmdav": 3.0}


@pytest.fixture
def ws(monkeypatch):
    """Return a workspace whose runs take as long as EACH says."""

    def seconds(plan, table, bound=True):
        return EACH[plan.method]

    monkeypatch.setattr(auto_run, "expected_seconds", seconds)
    monkeypatch.setattr(
        durations, "expected", lambda todo, table: sum(EACH[one.method] for one in todo)
    )
    return replace(with_sample(Workspace()), methods=tuple(EACH))


def test_the_fastest_method_at_the_k_looked_at_comes_first(ws):
    soon = soon_done(plans(ws), ws.table, 5)
    assert [(one.method, one.k) for one in soon] == [
        ("mdav", 5),
        ("vmdav", 5),
        ("mdav", 3),
        ("vmdav", 3),
    ]
    assert sum(EACH[one.method] for one in soon) <= SECONDS


def test_nothing_begins_by_itself_that_takes_long(ws, monkeypatch):
    monkeypatch.setitem(EACH, "mdav", SECONDS + 1)
    only = [plan for plan in plans(ws) if plan.method == "mdav"]
    assert soon_done(only, ws.table, 5) == []


def test_what_takes_long_waits_and_does_not_begin_when_the_rest_is_there(
    ws, monkeypatch
):
    started, kept = [], {"ws": ws}

    def update(**changes):
        kept["ws"] = replace(kept["ws"], **changes)
        return kept["ws"]

    def start(table, asked, known):
        started.append(asked)
        return "job"

    def begin(job, by_itself):
        assert by_itself
        return update(job=job)

    monkeypatch.setattr(session, "workspace", lambda: kept["ws"])
    monkeypatch.setattr(session, "update", update)
    monkeypatch.setattr(session, "begin", begin)
    monkeypatch.setattr(session, "collect", lambda view: kept["ws"])
    monkeypatch.setattr(session, "list_shown", lambda: None)
    monkeypatch.setattr(auto_run, "obstacles", lambda ws: [])
    monkeypatch.setattr(auto_run.work_ahead, "collect", lambda: None)
    monkeypatch.setattr(auto_run.jobs, "start", start)
    monkeypatch.setattr(auto_run.jobs, "view", lambda job: None)
    auto_run.begin()
    (soon,) = started
    assert 0 < len(soon) < len(plans(ws))
    monkeypatch.setattr(session, "results", lambda ws: dict.fromkeys(soon))
    auto_run.begin()
    assert len(started) == 1
    # Other choices are another matter.
    update(methods=("mdav", "vmdav"))
    auto_run.begin()
    assert len(started) == 2
    assert set(started[1]) == set(plans(kept["ws"]))
