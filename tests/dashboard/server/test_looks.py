"""Parts of pages that follow something leave time for what people click."""

from __future__ import annotations

import pytest

from dashboard.server.looks import LATER, OFTEN, Looks


class Clock:
    """A clock that stands still between its steps."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("time.monotonic", made)
    return made


def looked(looks: Looks, clock: Clock, people: int, seconds: float) -> list[int]:
    """Have people ask twice a second; return how often each has looked."""
    found = [0] * people
    for _ in range(int(2 * seconds)):
        clock.now += 0.5
        for one in range(people):
            found[one] += looks.is_due((str(one), "part"))
    return found


def test_few_look_as_often_as_they_ask(clock: Clock) -> None:
    assert looked(Looks(12.0), clock, 6, 10.0) == [20] * 6


def test_many_share_what_there_is_evenly(clock: Clock) -> None:
    looks = Looks(12.0)
    looked(looks, clock, 60, 10.0)
    found = looked(looks, clock, 60, 60.0)
    assert sum(found) <= 12 * 60 + 60
    assert min(found) >= 60 / (60 / 12 + 0.5) - 1
    assert max(found) - min(found) <= 1


def test_whoever_has_gone_is_forgotten(clock: Clock) -> None:
    looks = Looks(12.0)
    looked(looks, clock, 60, 10.0)
    assert looked(looks, clock, 2, 20.0)[0] >= 30
    assert len(looks._asked) == 2


def test_two_parts_of_one_page_are_both_drawn(clock: Clock) -> None:
    looks = Looks()
    assert looks.is_due(("one", "a"))
    assert looks.is_due(("one", "b"))
    assert not looks.is_due(("one", "a"))


def test_what_has_just_begun_is_looked_at_most_often(clock: Clock) -> None:
    looks = Looks(12.0)

    def looked_at(seconds: float) -> int:
        found = 0
        for _ in range(int(seconds / OFTEN)):
            clock.now += OFTEN
            found += looks.is_due(("one", "part"))
        return found

    assert looked_at(LATER) == LATER / OFTEN
    assert looked_at(20.0) == pytest.approx(20.0 / (2 * OFTEN), abs=1)
    clock.now += 10.0  # and then something else begins
    assert looked_at(LATER) == LATER / OFTEN
