"""A worker that waits for an order has read or compiled every kernel."""

import queue
from collections.abc import Sequence
from pathlib import Path

import pytest

from dashboard.jobs.workers import warm_up
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan


def test_warming_up_runs_every_method_and_stops_for_an_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warmed: list[str] = []
    seconds: list[float] = []
    orders: queue.SimpleQueue[Path] = queue.SimpleQueue()

    def note(plans: Sequence[Plan], table: Table) -> None:
        warmed.append(plans[0].method)
        seconds.append(float(plans[0].parameters.get("seconds", 0.0)))
        if stopping and len(warmed) == 2:
            orders.put(Path("job"))

    monkeypatch.setattr(warm_up, "compare", note)
    stopping = False
    warm_up.warm_up_kernels(orders)
    assert sorted(warmed) == sorted(methods)
    assert max(seconds) <= 1.0  # searches take as long as they are given
    warmed.clear()
    stopping = True
    warm_up.warm_up_kernels(orders)
    assert len(warmed) == 2
