"""Compiling: whoever shows what a run waits for is told of it.

On a fresh machine a run waits for seconds until its kernels are compiled, and no step
of a method can say so.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

Told = Callable[[bool], None]
"""Receives True when compiling begins, and False when it has ended."""

_lock = threading.Lock()
_told: list[Told] = []
_depth = 0


@contextlib.contextmanager
def told_of_compiling(told: Told) -> Iterator[None]:
    """Have somebody told of compiling for as long as the block takes."""
    _told.append(told)
    try:
        yield
    finally:
        _told.remove(told)


def begin() -> None:
    """Note that a kernel is compiled, or that a process waits for one that does it."""
    _count(1)


def end() -> None:
    """Note that it is there."""
    _count(-1)


def _count(more: int) -> None:
    """Count kernels in work: one may have others compiled that it calls."""
    global _depth
    with _lock:
        _depth += more
        if _depth == max(0, more):  # from none to one, or from one to none
            for told in tuple(_told):
                told(more > 0)
