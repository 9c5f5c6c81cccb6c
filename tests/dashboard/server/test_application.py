"""Closed sessions give their memory back, whatever others do meanwhile."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, cast

import pytest
from streamlit import config

from dashboard.server import application
from tests.asynchronous import finish


class Closing:
    """A runtime in which a session is closed at each of the first looks."""

    def __init__(self, looks: int) -> None:
        self.looks, self.closed = looks, 0

    def close_overdue(self) -> int:
        more = self.closed < self.looks
        self.closed += more
        return int(more)


def test_memory_is_given_back_while_others_are_closed_and_after_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(application, "TICK", 0.001)
    runtime, given = Closing(5 * application.AFTER), []

    async def watch() -> None:
        clock = asyncio.create_task(
            application.close_in_time(
                cast(Any, runtime), lambda: given.append(runtime.closed)
            )
        )
        while runtime.looks not in given:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        clock.cancel()

    finish(asyncio.wait_for(watch(), 30))
    assert len([one for one in given if one < runtime.looks]) >= 3
    assert given.count(runtime.looks) <= 2


def test_settings_are_the_same_without_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    before = config.get_option
    monkeypatch.setattr(config, "get_option", before)
    application.ask_settings_freely()
    assert config.get_option is not before
    for key in config.get_config_options():
        assert config.get_option(key) == before(key)
    with pytest.raises(RuntimeError, match="not defined"):
        config.get_option("server.nothing")
    with config._config_lock:  # held by somebody who has to wait
        asked = threading.Thread(target=config.get_option, args=("server.port",))
        asked.start()
        asked.join(10)
        assert not asked.is_alive()
