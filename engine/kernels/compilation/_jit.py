"""Compile kernels on first call, with common flags and a cache.

``nogil``: other threads of a dashboard must go on while a kernel runs.
``cache``: compiling costs seconds, reading from the cache milliseconds.
``error_model="numpy"``: division by zero gives inf instead of a branch per division.
No ``fastmath``: infinities mark removed records, and results must not depend on the
order in which a compiler likes to add. No ``parallel``: two threads in a parallel
kernel on numba's workqueue layer abort the process, and every session is a thread.
``no_cfunc_wrapper``: nothing calls kernels as C does, which would be compiled as well.

numba's cache does not notice that a helper in another file has changed, so the cache
folder of a kernel file is named by a digest of Python's version, that file and the
kernel files it imports, so that a copy in another folder is not compiled again.
Nor is it made for several processes that fill it together, so they take turns.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any, TypeVar, cast

from engine.core.platform import files
from engine.kernels.compilation.compiling import (
    report_compiling_begun,
    report_compiling_ended,
)

_FLAGS = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}

F = TypeVar("F", bound=Callable[..., Any])

_KERNELS_FOLDER = Path(__file__).parents[1]
_IMPORT_PATTERN = re.compile(r"^from engine\.kernels\.([\w.]+) import", re.MULTILINE)


def _kernel_sources(path: Path) -> set[Path]:
    """Return a kernel file and all kernel files that it builds on."""
    sources, waiting = {path}, [path]
    while waiting:
        for name in _IMPORT_PATTERN.findall(waiting.pop().read_text(encoding="utf-8")):
            other = _KERNELS_FOLDER.joinpath(*name.split(".")).with_suffix(".py")
            if other not in sources:
                sources.add(other)
                waiting.append(other)
    return sources


@cache
def _digest(path: Path) -> str:
    digest = hashlib.sha256(sys.version.encode())
    for source in sorted(_kernel_sources(path)):
        digest.update(source.relative_to(_KERNELS_FOLDER).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _is_usable(folder: Path, ours: bool = True) -> bool:
    """Return whether `folder` can be made, and belongs to nobody else if `ours`."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if ours and not files.is_owned_by_user(folder):
            return False
        return os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


TEMPORARY_PREFIX = "coterie-kernels-"
"""Prefix of cache folders that are deleted when the process that made them ends."""


def _cache_root() -> Path:
    """Return a private folder that survives the process where one can be had."""
    numba_folder = os.environ.get("NUMBA_CACHE_DIR")
    if numba_folder and _is_usable(Path(numba_folder), ours=False):
        return Path(numba_folder)
    cache = files.user_cache_folder()
    if cache is not None and _is_usable(cache / "kernels"):
        return cache / "kernels"
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
    os.environ["NUMBA_CACHE_DIR"] = str(folder)  # for processes that this one starts
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


CACHE_ROOT = _cache_root()
"""Folder of all compiled kernels, a folder for each kernel file."""

MAX_LOCK_WAIT_SECONDS = 120.0
"""Seconds to wait for a process that compiles: it may have been stopped meanwhile."""


@contextlib.contextmanager
def _hold_lock(path: Path) -> Iterator[None]:
    """Keep other processes out of the block, where files can be locked at all."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = stack.enter_context(path.open("w")).fileno()
            if not files.try_lock_file(descriptor):
                report_compiling_begun()
                stack.callback(report_compiling_ended)
                limit = time.monotonic() + MAX_LOCK_WAIT_SECONDS
                while time.monotonic() < limit and not files.try_lock_file(descriptor):
                    time.sleep(0.02)
        yield


def _compile_in_turn(compiled: Any) -> None:
    """Let one process compile a kernel, and the others read what it has saved.

    Two processes that save a function for different types at one moment would give both
    codes one name, and the index could lead from the one's types to the other's code.

    A number that another kernel writes out in its call is one of its type: otherwise
    numba would compile the kernel once more for each of them.
    """
    from numba import types
    from numba.core.compiler_lock import global_compiler_lock

    original_compile = compiled.compile

    def compile_in_turn(signature: Any) -> Any:
        if isinstance(signature, tuple):
            signature = tuple(map(types.unliteral, signature))
        path = Path(compiled.stats.cache_path) / f"{compiled.__name__}.lock"
        # First the lock that threads share: two of them must not hold one each.
        with global_compiler_lock, _hold_lock(path):
            try:
                return original_compile(signature)
            except Exception:
                # What was kept is damaged, or the disk is full; else it fails again.
                for index in path.parent.glob(f"*.{compiled.__name__}-*.nbi"):
                    with contextlib.suppress(OSError):
                        index.unlink()
                return original_compile(signature)

    compiled.compile = compile_in_turn


def _skip_scipy_import() -> None:
    """Spare commands the import of scipy, which numba only looks for.

    It wants to know whether scipy is there, which it is, for products of matrices that
    no kernel here asks for; and finds out by a fifth of a second of importing it. What
    is compiled with such products still imports it then.
    """
    linalg: Any = importlib.import_module("numba.np.linalg")
    if "numba.np.arraymath" in sys.modules or not hasattr(linalg, "ensure_blas"):
        return
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        arraymath: Any = importlib.import_module("numba.np.arraymath")
        arraymath.ensure_blas = ensure_blas
    finally:
        linalg.ensure_blas = ensure_blas


before_loading: list[Callable[[], None]] = []
"""Called once, before this process imports numba."""


_load_lock = threading.Lock()


def load_numba() -> Any:
    """Return the numba module, imported on first use, which counts as compiling."""
    with _load_lock:
        return _load_once()


@cache
def _load_once() -> Any:
    """Prepare for numba, and import it; return the module."""
    report_compiling_begun()
    try:
        for prepare in before_loading:
            prepare()
        return _import_numba()
    finally:
        report_compiling_ended()


def _import_numba() -> Any:
    """Import numba, and have it report when it compiles; return the module."""
    # numba reads the variable when it is imported, and fails at the first cached
    # function where neither the package folder nor the home folder can be written.
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE_ROOT)
    import numba
    from numba.core import event
    from numba.extending import typeof_impl

    _skip_scipy_import()

    class Tell(event.Listener):
        """Listener that reports when compiling begins and ends."""

        def on_start(self, event: object) -> None:
            report_compiling_begun()

        def on_end(self, event: object) -> None:
            report_compiling_ended()

    event.register("numba:compile", Tell())  # type: ignore[no-untyped-call]

    # For kernels that call others: what they call is what was compiled.
    @typeof_impl.register(Kernel)
    def _(called: Kernel, context: object) -> object:
        return typeof_impl(called.compiled, context)

    return numba


SHIPPED = _KERNELS_FOLDER / "compiled"
"""Compiled kernels that come with a folder to unzip; missing elsewhere."""


def _take_shipped(folder: Path) -> None:
    """Begin a kernel file's cache with what was shipped, if anything.

    A copy, because only the cache can be written to wherever the program stands. numba
    compares system, processor and version, and compiles where they differ.
    """
    shipped = SHIPPED / folder.name
    if folder.exists() or not shipped.is_dir():
        return
    with contextlib.suppress(OSError):
        copied = Path(tempfile.mkdtemp(prefix="copied-", dir=CACHE_ROOT))
        try:
            for path in shipped.iterdir():  # without the modes that they have there
                shutil.copyfile(path, copied / path.name)
            copied.rename(folder)  # another process may have been faster
        finally:
            shutil.rmtree(copied, ignore_errors=True)


def has_compiled(name: str) -> bool:
    """Return whether the cache, or what was shipped, has anything of a kernel file.

    Parameters
    ----------
    name : str
        Its path in the folder of kernels.
    """
    digest = _digest(_KERNELS_FOLDER / name)
    return any((folder / digest).exists() for folder in (CACHE_ROOT, SHIPPED))


class Kernel:
    """A function that numba compiles on its first call, from Python or a kernel.

    Parameters
    ----------
    function : callable
        Loops over arrays, in the part of Python that numba compiles.
    **flags : bool
        Options of ``numba.njit`` beside those of all kernels.
    """

    def __init__(self, function: Callable[..., Any], **flags: bool) -> None:
        update_wrapper(self, function)
        self._function, self._flags = function, flags
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call what was compiled."""
        return (self._compiled or self.compiled)(*arguments)

    @property
    def compiled(self) -> Any:
        """The function compiled by numba."""
        if self._compiled is None:
            numba = load_numba()
            # The lock of who compiles: a second one could be held the other way round.
            with numba.core.compiler_lock.global_compiler_lock:
                if self._compiled is None:
                    self._compiled = self._make(numba)
        return self._compiled

    def _make(self, numba: Any) -> Any:
        digest = _digest(Path(self._function.__code__.co_filename))
        flags = {**_FLAGS, **self._flags}
        config, before = numba.config, numba.config.CACHE_LOCATOR_CLASSES
        folder = CACHE_ROOT / digest
        _take_shipped(folder)
        with contextlib.suppress(OSError):
            os.utime(folder)  # for remove_unused_folders
        config.CACHE_DIR = str(folder)  # read once, when a kernel is decorated
        config.CACHE_LOCATOR_CLASSES = (
            "engine.kernels.compilation._cache.ConfiguredCacheLocator"
        )
        try:
            compiled = numba.njit(**flags)(self._function)
        finally:
            config.CACHE_LOCATOR_CLASSES = before
        _compile_in_turn(compiled)
        return compiled


def is_ready(called: Callable[..., Any]) -> bool:
    """Return whether a kernel is loaded, or numba is and finds it in the cache."""
    asked = cast(Kernel, called)
    if asked._compiled is not None and asked._compiled.signatures:
        return True
    if not _load_once.cache_info().currsize:
        return False
    folder = CACHE_ROOT / _digest(Path(asked._function.__code__.co_filename))
    return any(folder.glob(f"*.{asked._function.__name__}-*.nbi"))


def kernel(function: F) -> F:
    """Return `function` wrapped as a kernel, compiled when first called."""
    return cast(F, Kernel(function))


def array_free_kernel(function: F) -> F:
    """Return `function` wrapped as a kernel that makes no array, nor calls what does.

    In others numba counts references to each array of a tuple, atomically, at every
    call: a third of the time of loops that call short kernels.
    """
    return cast(F, Kernel(function, _nrt=False))


def inlined_kernel(function: F) -> F:
    """Return `function` wrapped as a kernel whose body stands in place of its calls.

    For short ones in inner loops; they make no array either.
    """
    return cast(F, Kernel(function, forceinline=True, _nrt=False))
