"""Scripts take turns: few at a time, in their order, and none for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from dashboard.server import turns as module
from dashboard.server.turns import LATER, Turns, take_turns


def together(*acts: Callable[[], None]) -> None:
    threads = [threading.Thread(target=act, daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.001)


def test_no_more_draw_at_a_time_than_may() -> None:
    turns, lock = Turns(at_once=2, long=60.0), threading.Lock()
    drawing, most = 0, 0

    def draw() -> None:
        nonlocal drawing, most
        with turns.turn():
            with lock:
                drawing += 1
                most = max(most, drawing)
            time.sleep(0.005)
            with lock:
                drawing -= 1

    together(*[draw] * 12)
    assert most == 2
    assert not turns.crowded()


def test_who_asked_first_goes_first_and_who_can_wait_comes_later() -> None:
    turns, order = Turns(at_once=1, long=60.0), []
    first = threading.Event()

    def hold() -> None:
        with turns.turn():
            first.wait(30)

    def ask(name: str, later: float) -> Callable[[], None]:
        def act() -> None:
            with turns.turn(later):
                order.append(name)

        return act

    holding = threading.Thread(target=hold)
    holding.start()
    until(lambda: bool(turns._called))
    threads = []
    for name, later in (("looks", 60.0), ("clicks", 0.0), ("clicks then", 0.0)):
        threads.append(threading.Thread(target=ask(name, later)))
        threads[-1].start()
        until(lambda: len(turns._waiting) == len(threads))
    assert turns.crowded()
    first.set()
    for thread in (holding, *threads):
        thread.join(30)
    assert order == ["clicks", "clicks then", "looks"]


def test_a_turn_that_takes_long_keeps_nobody_waiting() -> None:
    turns, over = Turns(at_once=1, long=0.05), threading.Event()

    def hold() -> None:
        with turns.turn():
            assert over.wait(30)

    def draw() -> None:
        with turns.turn():
            over.set()

    together(hold, draw)


def test_others_draw_while_one_only_waits() -> None:
    turns, ready = Turns(at_once=1, long=60.0), threading.Event()

    begun = threading.Event()

    def wait() -> None:
        with turns.turn():
            begun.set()
            until(turns.crowded)
            with turns.aside(0.0):
                assert ready.wait(30)

    def draw() -> None:
        assert begun.wait(30)
        with turns.turn():
            ready.set()

    together(wait, draw)
    with turns.aside(0.0):  # nobody's turn: there is nothing to give back
        pass


@pytest.mark.parametrize("records", [module.MANY, module.MANY + 1])
def test_others_draw_while_one_goes_through_many_records(records: int) -> None:
    turns, over = Turns(at_once=1, long=60.0), threading.Event()
    seen: list[str] = []

    def large() -> None:
        with turns.turn():
            with turns.beside(records):
                seen.append("begins")
                over.wait(0.0 if records == module.MANY else 30.0)
            seen.append("draws")

    def other() -> None:
        until(lambda: bool(seen))
        with turns.turn():
            seen.append("other")
        over.set()

    together(large, other)
    last = "draws" if records > module.MANY else "other"
    assert seen[0] == "begins"
    assert seen[-1] == last


def test_who_has_waited_for_a_file_and_draws_it_comes_after_what_others_click() -> None:
    turns, order = Turns(at_once=1, long=60.0), []
    begun, asked = threading.Event(), threading.Event()

    def read() -> None:
        with turns.turn(), turns.aside(60.0):
            begun.set()
            assert asked.wait(30)
        order.append("read")
        with turns.turn():  # the same thread draws what it has waited for
            order.append("drawn")

    def hold() -> None:
        assert begun.wait(30)
        with turns.turn():
            asked.set()
            until(turns.crowded)  # by whoever has read
            threading.Thread(target=click, daemon=True).start()
            until(lambda: len(turns._waiting) == 2)

    def click() -> None:
        with turns.turn():
            order.append("clicked")

    together(read, hold)
    assert order == ["clicked", "read", "drawn"]
    owed: list[float] = []
    turns._take = owed.append  # type: ignore[method-assign]
    turns._give_back = lambda: None  # type: ignore[method-assign]
    turns._mine.owed = 60.0
    for _ in range(2):
        with turns.turn():
            pass
    assert owed == [60.0, 0.0]  # for one turn alone


def test_a_script_that_fails_gives_its_turn_back() -> None:
    turns = Turns(at_once=1, long=60.0)
    for _ in range(3):
        with pytest.raises(KeyError), turns.turn():
            raise KeyError


@pytest.mark.parametrize("follows", [False, True])
def test_streamlits_scripts_take_turns(
    follows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    drawn: list[object] = []

    class Watched(Turns):
        def _take(self, later: float) -> None:
            asked.append(later)
            super()._take(later)

    def run(runner: object, data: RerunData) -> None:
        assert len(module.turns._called) == 1
        drawn.append(data)

    monkeypatch.setattr(module, "turns", Watched())
    monkeypatch.setattr(ScriptRunner, "_run_script", run)
    take_turns()
    data = RerunData(is_auto_rerun=follows)
    ScriptRunner._run_script(object(), data)  # type: ignore[arg-type]
    assert drawn == [data]
    assert asked == [LATER if follows else 0.0]
