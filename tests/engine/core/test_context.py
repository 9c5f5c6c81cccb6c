"""Progress rises to one whatever a run says, and a cancelled run stops at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled


def recorder() -> tuple[RunContext, list[tuple[float, str]]]:
    reports: list[tuple[float, str]] = []
    return RunContext(lambda share, stage: reports.append((share, stage))), reports


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 50)), max_size=20))
def test_progress_never_goes_back_nor_past_one(
    ticks: list[tuple[float, float]],
) -> None:
    ctx, reports = recorder()
    for done, total in ticks:
        ctx.tick(done, total, "")
    shares = [share for share, _ in reports]
    assert shares == sorted(shares)
    assert all(0.0 <= share <= 1.0 for share in shares)


def test_a_stage_is_told_as_it_is() -> None:
    ctx, reports = recorder()
    ctx.tick(1, 4, "Sorting")
    assert reports == [(0.25, "Sorting")]


def test_nothing_to_do_is_all_done() -> None:
    ctx, reports = recorder()
    ctx.tick(0, 0, "")
    assert reports == [(1.0, "")]


def test_a_part_fills_its_share_of_the_whole() -> None:
    ctx, reports = recorder()
    part = ctx.subcontext(0.2, 0.6, "MDAV")
    part.tick(0, 2, "start")
    part.tick(1, 2, "half")
    inner = part.subcontext(0.5, 1.0, "again")
    inner.tick(1, 1, "end")
    assert [share for share, _ in reports] == pytest.approx([0.2, 0.4, 0.6])
    assert [stage for _, stage in reports] == [
        "MDAV: start",
        "MDAV: half",
        "MDAV: again: end",
    ]


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_cancelling_stops_a_run_at_the_next_tick_of_any_part(depth: int) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    ctx = RunContext(cancelled=cancelled)
    for _ in range(depth):
        ctx = ctx.subcontext(0.0, 1.0)
    ctx.tick(0, 3, "")
    ctx.tick(1, 3, "")
    with pytest.raises(Cancelled, match="nothing was written"):
        ctx.tick(2, 3, "")
    assert asked == 3


def test_a_cancelled_run_reports_nothing_more() -> None:
    shares: list[float] = []
    ctx = RunContext(lambda share, _: shares.append(share), cancelled=lambda: True)
    with pytest.raises(Cancelled):
        ctx.tick(1, 2, "")
    assert shares == []


def test_silence_stays_silent_in_parts() -> None:
    SILENT.tick(1, 2, "")
    assert SILENT.subcontext(0.0, 0.5) is SILENT
    RunContext().tick(1, 2, "")


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_parts_hear_figures_and_know_when_it_is_enough(depth: int) -> None:
    figures: list[tuple[str, float]] = []
    stop_requests: list[bool] = []
    ctx = RunContext(
        enough=lambda: bool(stop_requests),
        hear=lambda name, value: figures.append((name, value)),
    )
    for _ in range(depth):
        ctx = ctx.subcontext(0.0, 0.5)
    ctx.note("sse", 7.0)
    assert figures == [("sse", 7.0)]
    assert not ctx.enough()
    stop_requests.append(True)
    assert ctx.enough()


def test_nobody_has_to_listen() -> None:
    for ctx in (SILENT, RunContext(), RunContext().subcontext(0.0, 1.0)):
        ctx.note("sse", 7.0)
        assert not ctx.enough()


def test_one_more_can_hear_the_figures() -> None:
    first: list[str] = []
    second: list[str] = []
    shares: list[float] = []
    outer = RunContext(
        lambda share, _: shares.append(share), hear=lambda name, _: first.append(name)
    )
    inner = outer.subcontext(0.5, 1.0).with_listener(
        lambda name, _: second.append(name)
    )
    outer.note("sst", 1.0)
    inner.subcontext(0.0, 1.0).note("sse", 1.0)
    inner.tick(1, 2, "")
    assert (first, second) == (["sst", "sse"], ["sse"])
    assert shares == [0.75]
    assert not inner.enough()
