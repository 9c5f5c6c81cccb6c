"""Cache of a session's large values, which are freed while nobody clicks.

A picture of groups needs the table's coordinates for a moment only. On a server with a
process for each person, what all of them keep in case of a next click adds up.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Hashable
from typing import TypeVar, cast
from weakref import WeakSet

import pyarrow as pa

from engine.core.platform.memory import trim_heap
from engine.pipeline.protection.grouped_release import forget_last_released_frame
from engine.storage.bounded_reading import free_mapped_pages

T = TypeVar("T")

IDLE_SECONDS = 8.0
"""Seconds after the last use of any tab until values are forgotten."""


class CacheFreedWhenIdle:
    """Cache of the values made last, by key, emptied while nobody clicks."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._values: dict[Hashable, object] = {}
        with _lock:
            _all_values.add(self)

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key; make it where there is none."""
        restart_idle_countdown()
        values = self._values
        if key not in values:
            while len(values) >= self._max_entries:
                del values[next(iter(values))]
            values[key] = make()
        return cast(T, values[key])

    def forget(self) -> None:
        """Forget all values; whoever uses one still has it."""
        self._values = {}


_all_values: WeakSet[CacheFreedWhenIdle] = WeakSet()
_lock = threading.Lock()
_countdown: threading.Timer | None = None


def restart_idle_countdown() -> None:
    """Start the countdown to :func:`free_idle_memory` anew, as each click does."""
    global _countdown
    with _lock:
        if _countdown is not None:
            _countdown.cancel()
        _countdown = threading.Timer(IDLE_SECONDS, free_idle_memory)
        _countdown.daemon = True
        _countdown.start()


def free_idle_memory() -> None:
    """Empty all sessions' caches of idle values; return free memory to the system."""
    with _lock:
        all_values = list(_all_values)
    for values in all_values:
        values.forget()
    forget_last_released_frame()
    free_mapped_pages()
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim_heap()
