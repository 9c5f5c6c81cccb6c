"""A system like Windows for modules of Coterie: ``pytest -p tests.windows_plugin``.

What only POSIX has is hidden from modules of engine, dashboard and sample_data, by who
imports it; pytest, psutil and all other libraries keep theirs. What Windows has instead
is imitated as far as Coterie calls it. Files obey its rules: one that this process has
open is neither replaced nor removed, no folder is replaced and nothing renamed to what
is there, and names are such as Windows takes.

Processes that tests start are like that as well, by ``sitecustomize`` in a folder of
their search path.
"""

import builtins
import ctypes
import os
import re
import resource
import select
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]

HIDDEN_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix"}

_ON_POSIX_ONLY = """
os: fork forkpty getuid geteuid getgid getegid setuid setsid getsid setpgid getpgid
    killpg nice getpriority setpriority wait wait3 wait4 waitid WNOHANG sysconf mkfifo
    chown lchown fchown openpty ttyname statvfs uname getloadavg sched_getaffinity
    sched_setaffinity confstr register_at_fork O_NOFOLLOW O_NONBLOCK O_DIRECTORY
    O_CLOEXEC pread pwrite posix_spawn memfd_create sendfile sync fdatasync
signal: SIGKILL SIGHUP SIGALRM SIGCHLD SIGUSR1 SIGUSR2 SIGPIPE SIGQUIT SIGXCPU SIGXFSZ
    SIGSTOP SIGCONT alarm setitimer pause pthread_kill pthread_sigmask siginterrupt
socket: AF_UNIX
asyncio: start_unix_server open_unix_connection
select: poll epoll
time: tzset
"""

HIDDEN: dict[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in re.findall(r"(\w+): ([^:]+)(?=\n\w|$)", _ON_POSIX_ONLY)
}
"""Attributes that modules have on POSIX only, as far as anybody could think of them."""


class _View(ModuleType):
    """A module as it is on Windows."""

    def __init__(self, real: ModuleType, **instead: Any) -> None:
        super().__init__(real.__name__, real.__doc__)
        vars(self).update(_real=real, _before={}, **instead)

    def __getattr__(self, name: str) -> Any:
        real = vars(self)["_real"]
        if name in HIDDEN.get(real.__name__, ()):
            raise AttributeError(f"{real.__name__}.{name} is not on Windows")
        return getattr(real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self):
            vars(self)[name] = value
            return
        real, before = vars(self)["_real"], vars(self)["_before"]
        if hasattr(real, name):
            before.setdefault(name, getattr(real, name))
        setattr(real, name, value)

    def __delattr__(self, name: str) -> None:
        """Put back what was there: a test that sets a name sees none of it in here."""
        real, before = vars(self)["_real"], vars(self)["_before"]
        if name in before:
            setattr(real, name, before[name])
        else:
            delattr(real, name)


class _Process(psutil.Process):
    """A process whose memory is told as on Windows."""

    def memory_info(self) -> Any:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return SimpleNamespace(rss=super().memory_info().rss, peak_wset=peak)


class _Kernel:
    """What Coterie calls of ``kernel32``."""

    def __init__(self) -> None:
        self.CreateJobObjectW = _function(lambda security, name: 4)
        self.GetCurrentProcess = _function(lambda: -1)
        self.SetInformationJobObject = _function(self._set_limits)
        self.AssignProcessToJobObject = _function(self._assign)
        self.PeekNamedPipe = _function(self._peek)
        self.GetSystemDirectoryW = _function(self._name_system_folder)
        self._limits: Any = None

    def _set_limits(self, job: Any, kind: int, limits: Any, size: Any) -> int:
        assert (job.value, kind, size.value) == (4, 9, ctypes.sizeof(limits._obj))
        self._limits = limits._obj
        return 1

    def _assign(self, job: Any, process: Any) -> int:
        assert self._limits.flags == 0x50A
        memory = self._limits.process_memory
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        seconds = self._limits.process_time // 10**7
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        return 1

    def _name_system_folder(self, name: Any, size: int) -> int:
        name.value = str(ROOT / "tests" / "windows_system")
        assert len(name.value) < size
        return len(name.value)

    def _peek(self, pipe: Any, *arguments: Any) -> int:
        waiting = arguments[3]._obj
        waiting.value = bool(select.select([pipe.value or 0], [], [], 0.0)[0])
        return 1


def _function(call: Callable[..., int]) -> Any:
    """Return a function that takes a type of its result, as those of ctypes do."""

    class Function:
        restype: Any = None

        def __call__(self, *arguments: Any) -> int:
            return call(*arguments)

    return Function()


def _views() -> dict[str, ModuleType]:
    kernel = _Kernel()
    names = dict.fromkeys(HIDDEN)
    views: dict[str, ModuleType] = {
        name: _View(__import__(name)) for name in names if name != "sys"
    }
    views["sys"] = _View(sys, platform="win32")
    views["ctypes"] = _View(
        ctypes,
        WinDLL=lambda name, use_last_error: kernel,
        # Longer paths are allowed: those of temporary files here may be long.
        windll=SimpleNamespace(
            kernel32=kernel, ntdll=SimpleNamespace(RtlAreLongPathsEnabled=lambda: 1)
        ),
        get_last_error=lambda: 0,
    )
    views["socket"] = _View(socket, SO_EXCLUSIVEADDRUSE=socket.SO_REUSEADDR)
    views["psutil"] = _View(
        psutil,
        Process=_Process,
        IDLE_PRIORITY_CLASS=19,
        BELOW_NORMAL_PRIORITY_CLASS=10,
    )
    msvcrt = ModuleType("msvcrt")
    msvcrt.get_osfhandle = lambda descriptor: descriptor  # type: ignore[attr-defined]
    views["msvcrt"] = msvcrt
    return views


def is_of_coterie(name: str) -> bool:
    """Return whether a module is one of those that must run on Windows."""
    return name.partition(".")[0] in ("engine", "dashboard", "sample_data")


def hide_posix() -> None:
    """Show modules of Coterie, which must not be imported yet, what Windows has."""
    views, real_import = _views(), builtins.__import__

    def import_as_there(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        importer = (globals or {}).get("__name__") or ""
        spec = (globals or {}).get("__spec__")
        if importer == "__main__" and spec is not None:
            importer = spec.name
        if level == 0 and is_of_coterie(importer):
            if name in HIDDEN_MODULES:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if name in views:
                return views[name]
        return real_import(name, globals, locals, fromlist, level)

    builtins.__import__ = import_as_there


def _open_paths() -> set[str]:
    """Return the files that this process has open."""
    paths = set()
    for link in Path("/proc/self/fd").iterdir():
        try:
            paths.add(os.readlink(link))
        except OSError:  # that of the listing itself
            continue
    return paths


def _refuse_open(path: Any) -> None:
    if isinstance(path, int):
        return
    full = os.path.realpath(os.fsdecode(path))
    below = full + os.sep
    if any(
        open_path == full or open_path.startswith(below) for open_path in _open_paths()
    ):
        error = PermissionError(13, "The process cannot access the file", str(path))
        error.winerror = 32  # type: ignore[attr-defined]
        raise error


def _refuse_existing(name: str, target: Any) -> None:
    """Refuse a target that Windows does not put anything in place of."""
    if name == "rename" and os.path.lexists(target):
        error: OSError = FileExistsError(17, "The file exists", str(target))
        error.winerror = 183  # type: ignore[attr-defined]
        raise error
    if name == "replace" and os.path.isdir(target):
        error = PermissionError(13, "Access is denied", str(target))
        error.winerror = 5  # type: ignore[attr-defined]
        raise error


def _refusing(name: str, real: Callable[..., None]) -> Callable[..., None]:
    def refuse(*paths: Any, **options: Any) -> None:
        for path in paths[:2]:
            if options.get("dir_fd") is None:
                _refuse_open(path)
        if len(paths) > 1:
            _refuse_existing(name, paths[1])
        real(*paths, **options)

    return refuse


def hold_open_files() -> None:
    """Have no file replaced, renamed or removed that this process has open."""
    for name in ("replace", "rename", "remove", "unlink"):
        setattr(os, name, _refusing(name, getattr(os, name)))


_RESERVED = {"con", "prn", "aux", "nul"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)
}


def bad_names(folder: Path) -> Iterator[str]:
    """Yield what Windows would not have, of the names below a folder."""
    for parent, folders, files in os.walk(folder):
        name_by_folded: dict[str, str] = {}
        for name in [*folders, *files]:
            where = os.path.join(parent, name)
            if name.partition(".")[0].lower() in _RESERVED:
                yield f"{where} is a device"
            if set(name) & set('<>:"\\|?*') or name[-1] in " .":
                yield f"{where} has characters that no name may have"
            if other := name_by_folded.get(name.casefold()):
                yield f"{where} is the same as {other}"
            name_by_folded[name.casefold()] = name


def install() -> None:
    """Be like Windows, in this process and those that it starts."""
    hide_posix()
    hold_open_files()
    folder = str(ROOT / "tests" / "sample_files" / "windows")
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if folder not in path:
        new = [folder, str(ROOT), *filter(None, path)]
        os.environ["PYTHONPATH"] = os.pathsep.join(new)
