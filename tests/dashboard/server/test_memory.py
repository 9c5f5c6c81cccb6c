"""A team that has left leaves the server's memory to others."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.asynchronous import finish
from tests.benchmarks import load
from tests.benchmarks.visitor import memory_of
from tests.browser.conftest import serving


@pytest.mark.slow
def test_what_many_at_once_have_brought_is_given_back_when_all_have_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "PEOPLE", 12)
    monkeypatch.setattr(load, "LIMIT", 60.0)
    content, plan = load.table_and_plan()
    with serving(tmp_path, "--server-name", "team.test") as server:
        finish(load.look_around(server.port))
        before = memory_of(server.process.pid)
        day, _most = finish(load.a_day(server, content, plan))
        assert day.wrong == []
        assert len(day.opened) == load.PEOPLE
        time.sleep(load.PATIENCE)
        assert (
            memory_of(server.process.pid) < before + 100
        )  # which is less than half of what came
