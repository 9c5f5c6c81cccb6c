"""Choice between a kernel and NumPy for small tables, where both give the same bits.

Importing numba and reading a kernel from the cache takes a second, compiling it many.
A small table is done by then, if only a few are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from engine.kernels.compilation._jit import is_ready

MAX_WORK = 6e7
"""Squared records times attributes up to which a table is small."""

MAX_TOTAL_WORK = 1e9
"""The same, of all that a process does without kernels: then loading them pays."""

_total_work = 0.0
_preferring = 0


def should_use_numpy(
    kernel: Callable[..., Any], n_records: int, n_attributes: int
) -> bool:
    """Return whether NumPy takes less time than loading a kernel; count its work.

    Parameters
    ----------
    kernel : callable
        What would do the work otherwise.
    n_records, n_attributes : int
    """
    global _total_work
    work = float(n_records) * n_records * n_attributes
    if _preferring or work > MAX_WORK or is_ready(kernel):
        return False
    _total_work += work
    return _total_work <= MAX_TOTAL_WORK


@contextlib.contextmanager
def prefer_kernels() -> Iterator[None]:
    """Context manager: use kernels for small tables too, to load or to time them."""
    global _preferring
    _preferring += 1
    try:
        yield
    finally:
        _preferring -= 1
