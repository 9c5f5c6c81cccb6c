"""Trace of a search: best loss and lower bound over time."""

from __future__ import annotations

import time
from typing import NamedTuple

from engine.core.numerics.statistics import loss_percent


class TracePoint(NamedTuple):
    """Time, best loss and lower bound of a search at one moment.

    Attributes
    ----------
    seconds : float
        Since the search began.
    loss : float or None
        Information loss of the best groups so far, in per cent; None before there are
        any.
    bound : float or None
        Lower bound proven so far, in per cent; None before there is one.
    """

    seconds: float
    loss: float | None
    bound: float | None


class SearchTrace:
    """Recorder of a search's best loss and lower bound over time, from named figures.

    The figures are ``"sst"``, with which a search begins, then ``"sse"`` of the best
    groups so far and the lower ``"bound"`` proven so far, both in the unit of SST.
    What does not improve on an earlier figure is left out.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Discard all points; figures are ignored until the next ``"sst"``."""
        self._points: list[TracePoint] = []
        self._sst = 0.0
        self._started = time.perf_counter()

    def __call__(self, name: str, value: float) -> None:
        """Take note of a figure."""
        if name == "sst":
            self.clear()
            self._sst = value
            return
        if self._sst <= 0.0 or name not in ("sse", "bound"):
            return
        share = loss_percent(value, self._sst)
        last = self._points[-1] if self._points else TracePoint(0.0, None, None)
        loss, bound = last.loss, last.bound
        if name == "sse":
            loss = share if loss is None else min(loss, share)
        else:
            bound = share if bound is None else max(bound, share)
        if (loss, bound) != (last.loss, last.bound):
            seconds = time.perf_counter() - self._started
            self._points.append(TracePoint(seconds, loss, bound))

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self._started

    @property
    def points(self) -> tuple[TracePoint, ...]:
        """Points recorded so far, in order of time."""
        return tuple(self._points)
