"""What takes memory is there for the next click, and not for the next hour."""

import threading
import weakref

import pytest

import sample_data
from dashboard.state.caches import idle_values
from dashboard.state.caches.idle_values import CacheFreedWhenIdle
from dashboard.state.results.requested import requested_outcomes
from dashboard.ui.runs import preparations
from dashboard.ui.runs.preparations import get_explainer, preparation_cache
from engine.pipeline.protection.grouped_release import group_release
from tests.dashboard.pages import open_page, with_runs


class Thing:
    """A value."""


@pytest.fixture(autouse=True)
def _no_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_values, "restart_idle_countdown", lambda: None)


def test_values_are_made_once_and_the_oldest_goes() -> None:
    values = CacheFreedWhenIdle(2)
    first = values.get_or_make("a", Thing)
    assert values.get_or_make("a", Thing) is first
    second = values.get_or_make("b", Thing)
    values.get_or_make("c", Thing)
    assert values.get_or_make("b", Thing) is second
    assert values.get_or_make("a", Thing) is not first


def test_all_is_forgotten_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = CacheFreedWhenIdle(3)
    monkeypatch.setattr(preparations, "_values_of", lambda table: values)
    ws = with_runs(sample_data.load("business_survey"))
    table, outcome = ws.table, requested_outcomes(ws)[0]
    assert table is not None
    release = group_release(outcome.release, outcome.partition.labels, table.frame)
    explainer = get_explainer(outcome, table)
    assert get_explainer(outcome, table) is explainer
    prepared = preparation_cache(table).get(outcome.plan)
    gone = [weakref.ref(entry) for entry in (explainer, prepared, release.frame)]
    del explainer, prepared
    idle_values.free_idle_memory()
    assert [entry() for entry in gone] == [None] * 3
    new_explainer = get_explainer(outcome, table)
    assert new_explainer.explain_group(0).members.size >= outcome.plan.k


def test_it_is_so_some_time_after_the_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    freed = threading.Event()
    monkeypatch.setattr(idle_values, "free_idle_memory", freed.set)
    monkeypatch.setattr(idle_values, "IDLE_SECONDS", 3600.0)
    idle_values.restart_idle_countdown()
    monkeypatch.setattr(idle_values, "IDLE_SECONDS", 0.0)
    CacheFreedWhenIdle(1).get_or_make("a", Thing)  # counts anew
    assert freed.wait(60.0)


def test_each_click_counts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[bool] = []
    monkeypatch.setattr(
        idle_values, "restart_idle_countdown", lambda: counted.append(True)
    )
    open_page()
    assert counted
