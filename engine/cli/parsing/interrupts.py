"""Handle Ctrl-C: end a search with its best result, and finish writing files."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.core.context import RunContext
    from engine.pipeline.plan import Plan


@contextmanager
def context_stopped_by_interrupt(plan: Plan) -> Iterator[RunContext]:
    """Yield a run context; the first Ctrl-C ends a search, keeping its best."""
    from engine.core.context import SILENT, RunContext
    from engine.methods import methods

    searches = methods.info(plan.method).traits.time_budget
    if not searches or not _is_signal_thread():
        yield SILENT
        return
    before = signal.getsignal(signal.SIGINT)
    told = threading.Event()

    def first(number: int, frame: object) -> None:
        told.set()
        signal.signal(signal.SIGINT, before)
        print("Keeping the best so far; once more to stop.", file=sys.stderr)

    signal.signal(signal.SIGINT, first)
    try:
        yield RunContext(enough=told.is_set)
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C until the block ends, as files are written there."""
    if not _is_signal_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_signal_thread() -> bool:
    """Return whether signals are for this thread."""
    return threading.current_thread() is threading.main_thread()
