"""Limits of this process enforced by the system: POSIX limits, Windows jobs."""

from __future__ import annotations

import ctypes
import signal
import sys

OUT_OF_MEMORY_EXIT_CODE = 77
"""Exit code of a process that has noticed by itself that there is no more memory."""

OUT_OF_TIME_EXIT_CODE = 78
"""Exit code that is noted for a process that was ended because its time was over."""

MAX_OPEN_FILES = 256
"""Files that a limited process may have open."""

_KILL_DELAY_SECONDS = 5
"""Seconds of the processor between the signal that time is over and the end."""

if sys.platform == "win32":
    OUT_OF_TIME_EXIT_CODES = frozenset({OUT_OF_TIME_EXIT_CODE, 1816, 0xC0000044})
    # What aborts there ends with 3, or with an exception that says so.
    OUT_OF_MEMORY_EXIT_CODES = frozenset({OUT_OF_MEMORY_EXIT_CODE, 3, 0xC0000409})
    TOO_LARGE_EXIT_CODES: frozenset[int] = frozenset()
else:
    OUT_OF_TIME_EXIT_CODES = frozenset(
        {OUT_OF_TIME_EXIT_CODE, -signal.SIGALRM, -signal.SIGXCPU}
    )
    # Libraries in C++ and Rust abort where they are given no more memory.
    OUT_OF_MEMORY_EXIT_CODES = frozenset({OUT_OF_MEMORY_EXIT_CODE, -signal.SIGABRT})
    TOO_LARGE_EXIT_CODES = frozenset({-signal.SIGXFSZ})


def max_open_files() -> int | None:
    """Return the soft limit of this process's open files; None on Windows."""
    if sys.platform == "win32":
        return None
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def is_memory_limit_enforced() -> bool:
    """Return whether the system enforces the memory limit of :func:`limit_own_process`.

    macOS knows the limit and does not keep it: who starts a process has to look.
    """
    return sys.platform in ("linux", "win32")


class WindowsJobLimits(ctypes.Structure):
    """The Windows structure ``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``, 64-bit."""

    _fields_ = (
        ("process_time", ctypes.c_int64),  # hundreds of nanoseconds
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("min_working_set", ctypes.c_size_t),
        ("max_working_set", ctypes.c_size_t),
        ("active_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


_PROCESS_TIME, _ACTIVE_PROCESSES = 0x2, 0x8
_PROCESS_MEMORY, _DIE_ON_EXCEPTION = 0x100, 0x400
_EXTENDED_LIMITS = 9


def make_windows_job_limits(
    max_memory_bytes: int, max_cpu_seconds: int
) -> WindowsJobLimits:
    """Return the limits of a Windows job with a single process."""
    return WindowsJobLimits(
        process_time=max_cpu_seconds * 10**7,
        flags=_PROCESS_TIME | _ACTIVE_PROCESSES | _PROCESS_MEMORY | _DIE_ON_EXCEPTION,
        active_processes=1,
        process_memory=max_memory_bytes,
    )


if sys.platform == "win32":

    def _limit_here(memory: int, seconds: int) -> None:
        """Make a job with limits and put this process into it."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
        limits = make_windows_job_limits(memory, seconds)
        size = ctypes.c_uint32(ctypes.sizeof(limits))
        process = ctypes.c_void_p(kernel.GetCurrentProcess())
        if not (
            job
            and kernel.SetInformationJobObject(
                job, _EXTENDED_LIMITS, ctypes.byref(limits), size
            )
            and kernel.AssignProcessToJobObject(job, process)
        ):
            raise ctypes.WinError(ctypes.get_last_error())

else:

    def _limit_here(memory: int, seconds: int) -> None:
        import resource

        def bind(resource_id: int, soft: int, hard: int) -> None:
            hard_limit = resource.getrlimit(resource_id)[1]
            if hard_limit != resource.RLIM_INFINITY:
                hard = min(hard, hard_limit)
            resource.setrlimit(resource_id, (min(soft, hard), hard))

        # Data, not address space: what is reserved and never written costs nothing.
        bind(resource.RLIMIT_DATA, memory, memory)
        bind(resource.RLIMIT_FSIZE, memory, memory)
        bind(resource.RLIMIT_NOFILE, MAX_OPEN_FILES, MAX_OPEN_FILES)
        bind(resource.RLIMIT_CORE, 0, 0)
        spent = resource.getrusage(resource.RUSAGE_SELF)
        end = int(spent.ru_utime + spent.ru_stime) + seconds
        # Beyond the hard limit the system kills, without saying that it was for time.
        bind(resource.RLIMIT_CPU, end, end + _KILL_DELAY_SECONDS)
        # A process that sleeps takes no processor; then the clock ends it.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)


def forbid_core_files() -> None:
    """Disable core files (memory dumps) of this process; on Windows do nothing."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_own_process(max_memory_bytes: int, max_seconds: int) -> None:
    """Limit memory and time of this process; on POSIX also open files and file sizes.

    Parameters
    ----------
    max_memory_bytes : int
        Bytes of the process and, on POSIX, of each file that it writes.
    max_seconds : int
        Of the processor and, on POSIX, of the clock, from now on.

    Raises
    ------
    OSError
        If the system refuses.
    """
    _limit_here(max_memory_bytes, max_seconds)
