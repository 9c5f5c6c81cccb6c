"""No browser is asked for a message that it has forgotten."""

from __future__ import annotations

import random
from collections import deque

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.server.adapter.runtime import MAX_CACHED_RUNS, ShownMessages

AGE = 2 * MAX_CACHED_RUNS
STATUS = ForwardMsg.ScriptFinishedStatus


class Browser:
    """What Streamlit's page does with its messages."""

    def __init__(self) -> None:
        self.runs = 0
        self.kept: dict[str, int] = {}

    def take(self, message: ForwardMsg, part: bool) -> None:
        """Keep a message or show one that was kept; forget after full runs."""
        kind = message.WhichOneof("type")
        if kind == "script_finished":
            if message.script_finished == STATUS.FINISHED_EARLY_FOR_RERUN:
                return
            self.runs += 1
            if not part:
                self.kept = {
                    name: run
                    for name, run in self.kept.items()
                    if self.runs - run <= AGE
                }
        else:
            name = message.ref_hash or message.hash
            assert kind != "ref_hash" or name in self.kept
            self.kept[name] = self.runs


def whole(name: str) -> ForwardMsg:
    message = ForwardMsg(hash=name)
    message.delta.new_element.markdown.body = name
    message.metadata.cacheable = True
    return message


def named(name: str) -> ForwardMsg:
    return ForwardMsg(ref_hash=name)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_goes_by_name_is_kept_though_pages_lag_behind(seed: int) -> None:
    rng, shown, browser = random.Random(seed), ShownMessages(), Browser()
    on_its_way: deque[tuple[ForwardMsg, bool]] = deque()
    by_name = 0
    for _ in range(2_000):
        asked = shown.known(list(browser.kept))  # a click, which is heard at once
        part = rng.random() < 0.6
        for name in rng.sample("abcdefgh", rng.randrange(3)) if not part else "p":
            message = named(name) if name in asked else whole(name)
            by_name += name in asked
            shown.add(message)
            on_its_way.append((message, part))
        done = STATUS.FINISHED_SUCCESSFULLY
        early = STATUS.FINISHED_EARLY_FOR_RERUN
        end = ForwardMsg(script_finished=early if rng.random() < 0.2 else done)  # type: ignore[arg-type]
        shown.add(end)
        on_its_way.append((end, part))
        while len(on_its_way) > rng.choice([0, 20]):
            browser.take(*on_its_way.popleft())
    assert by_name > 1_000


def test_what_was_shown_lately_goes_by_name_and_nothing_that_was_never_sent() -> None:
    shown = ShownMessages()
    shown.add(whole("a"))
    done = ForwardMsg(script_finished=STATUS.FINISHED_SUCCESSFULLY)  # type: ignore[arg-type]
    for _ in range(MAX_CACHED_RUNS):
        shown.add(done)
    assert shown.known(["a", "b"]) == ["a"]
    shown.add(done)
    assert shown.known(["a", "b"]) == []
    shown.add(named("a"))  # as it was asked for just before
    assert shown.known(["a", "b"]) == ["a"]
