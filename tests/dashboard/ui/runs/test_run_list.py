"""Times of runs are those of the browser's zone, whatever a browser calls it."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from dashboard.ui.runs import run_list

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


def told(monkeypatch: pytest.MonkeyPatch, zone: str | None) -> datetime:
    context = SimpleNamespace(timezone=zone)
    monkeypatch.setattr(run_list, "st", SimpleNamespace(context=context))
    return run_list.to_local_time(NOON)


def test_a_time_is_told_in_the_browser_s_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, "Asia/Tokyo").strftime("%H:%M") == "21:00"


@pytest.mark.parametrize(
    "zone",
    [None, "", "Etc/Unknown", "Europe", "../x", "/etc/passwd", "a\0b", "x" * 5000],
)
def test_a_zone_that_nobody_knows_is_the_server_s(
    zone: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(monkeypatch, zone) == NOON
    assert told(monkeypatch, zone).utcoffset() == NOON.astimezone().utcoffset()
