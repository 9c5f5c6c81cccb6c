"""Start a second process that compiles, on a core that would be idle meanwhile."""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys

from engine.core.platform.processes import NEW_GROUP, count_usable_cores
from engine.kernels.compilation._jit import has_compiled

_MODULE = "engine.bounds.compile_ahead"
_LAST_FILE = "bounds/excess.py"
"""Kernel file with which it ends."""


def compile_in_second_process() -> None:
    """Start a process that compiles kernels of a first run, unless one has done so.

    Both keep what they compile in the same cache, and none compiles what the other
    is at. It ends with this process at the latest.
    """
    if count_usable_cores() < 2 or has_compiled(_LAST_FILE):
        return
    with contextlib.suppress(OSError):  # then this process compiles all
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,  # a Ctrl-C is for this one, which then ends the other
            creationflags=NEW_GROUP,
        )
        atexit.register(process.__exit__, None, None, None)
        atexit.register(process.kill)
