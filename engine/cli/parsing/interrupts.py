"""Context managers for Ctrl-C: one ends a search with its best, one ignores it."""

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
    """Yield a run context; if the method has a time budget, Ctrl-C ends its search."""
    from engine.core.context import SILENT, RunContext
    from engine.methods import methods

    searches = methods.info(plan.method).traits.time_budget
    if not searches or not _is_signal_thread():
        yield SILENT
        return
    before = signal.getsignal(signal.SIGINT)
    interrupt = threading.Event()

    def first(number: int, frame: object) -> None:
        interrupt.set()
        signal.signal(signal.SIGINT, before)
        print("Keeping the best so far; once more to stop.", file=sys.stderr)

    signal.signal(signal.SIGINT, first)
    try:
        yield RunContext(enough=interrupt.is_set)
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """In the main thread, ignore Ctrl-C until the ``with`` block ends."""
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
