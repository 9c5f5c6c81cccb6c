"""Memory of the machine, memory and processor time of processes, and heap trimming."""

from __future__ import annotations

import contextlib
import ctypes
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_HEAP_OPTIONS = {-8: 1, -1: 2**16, -3: 2**16}
"""Heaps at most; bytes free at the end, and of one block, beyond which they go back."""


def total_memory_bytes() -> int:
    """Return the machine's memory in bytes, or a lower limit of its control groups."""
    import psutil

    machine: int = psutil.virtual_memory().total
    return min([machine, *iterate_cgroup_memory_limits(Path("/"))])


def iterate_cgroup_memory_limits(root: Path) -> Iterator[int]:
    """Yield the memory limits, in bytes, of this process's control groups and parents.

    A container sees its own group as the root of all; a service of systemd is further
    down, and the limits of the groups above it hold for it too (cgroups(7)).

    Parameters
    ----------
    root : Path
        Of the file system.
    """
    mounted = root / "sys/fs/cgroup"
    try:
        groups = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:  # another system
        return
    for _, controllers, group in (line.split(":", 2) for line in groups):
        if not controllers:
            top, name = mounted, "memory.max"
        elif "memory" in controllers.split(","):  # version 1
            top, name = mounted / "memory", "memory.limit_in_bytes"
        else:
            continue
        for folder in (Path(group), *Path(group).parents):
            with contextlib.suppress(OSError, ValueError):  # none, or "max"
                yield int((top / folder.relative_to("/") / name).read_bytes())


def resident_bytes(pid: int | None = None) -> int:
    """Return the resident memory of a process in bytes; 0 if it cannot be read.

    Parameters
    ----------
    pid : int, optional
        This process, if none is given.
    """
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def peak_resident_bytes() -> int:
    """Return the peak resident memory of this process in bytes."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    if sys.platform == "linux":
        # getrusage would count what the process held that started this one.
        with contextlib.suppress(OSError):
            status = Path("/proc/self/status").read_text(encoding="ascii")
            if match := re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE):
                return int(match[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def processor_seconds(pid: int) -> float | None:
    """Return the processor seconds used by a process; None if they cannot be read."""
    import psutil

    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return None
    return float(times.user + times.system)


def trim_heap() -> None:
    """Return free heap memory of the C library to the system, if supported."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # only glibc has it
            ctypes.CDLL(None).malloc_trim(0)


def keep_heap_small() -> None:
    """Have the C library use one heap, and return what is freed, if it is glibc.

    Its heaps for each thread, and thresholds that grow, keep several times what a
    process of many threads and passing tables holds: mallopt(3).
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            set_option = ctypes.CDLL(None).mallopt
            for option, value in _HEAP_OPTIONS.items():
                set_option(option, value)
