"""Notify listeners while kernels compile, and measure time without compiling.

On a fresh machine a run waits for seconds until its kernels are compiled, and no step
of a method can say so.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

CompilingListener = Callable[[bool], None]
"""Receives True when compiling begins, and False when it has ended."""

_lock = threading.Lock()
_listeners: list[CompilingListener] = []
_depth = 0
_compiling_seconds = 0.0
_compiling_since = 0.0


def monotonic_without_compiling() -> float:
    """Return :func:`time.monotonic` less the seconds in which kernels compiled.

    A clock that stops while this process compiles, which it does once on a machine.
    """
    with _lock:
        now = _compiling_since if _depth else time.monotonic()
        return now - _compiling_seconds


@contextlib.contextmanager
def listen_to_compiling(listener: CompilingListener) -> Iterator[None]:
    """Context manager: call a listener when compiling begins and ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def report_compiling_begun() -> None:
    """Notify listeners that compiling, or a wait for it, begins, unless nested."""
    _count(1)


def report_compiling_ended() -> None:
    """Notify listeners that compiling, or a wait for it, has ended, unless nested."""
    _count(-1)


def _count(more: int) -> None:
    """Count kernels in work: one may have others compiled that it calls."""
    global _depth, _compiling_since, _compiling_seconds
    with _lock:
        _depth += more
        if _depth == max(0, more):  # from none to one, or from one to none
            if _depth:
                _compiling_since = time.monotonic()
            else:
                _compiling_seconds += time.monotonic() - _compiling_since
            for listener in tuple(_listeners):
                listener(more > 0)
