"""Garbage collection: now and then, and not through what imported modules hold.

Streamlit would have Python look for garbage after every run of a script and of each of
its parts, which follow runs twice a second: through all objects of all sessions, and
holding the lock that they share. That is switched off (``runner.postScriptGC``); the
clock that closes sessions looks once in a while. Nearly all objects belong to modules
and stay for good; what is frozen is not looked through.
"""

from __future__ import annotations

import gc
import sys
import threading

_lock = threading.Lock()
_modules = 0


def freeze() -> bool:
    """Take what has been imported so far out of the search for garbage.

    Only where modules have come since the last time: whatever else is alive then
    stays until its last reference goes, or :func:`collect_all` is called.

    Returns
    -------
    bool
        Whether there was something to freeze.
    """
    global _modules
    with _lock:
        if len(sys.modules) <= _modules:
            return False
        _modules = len(sys.modules)
        gc.collect()
        gc.freeze()
        return True


def collect_all() -> None:
    """Collect all garbage, frozen objects too, and freeze what is left.

    Sessions that were open when modules came were frozen with them, and most of what
    they hold refers to itself: without this it would stay after they are closed.
    """
    with _lock:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
