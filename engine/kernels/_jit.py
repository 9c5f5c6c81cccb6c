"""The one place that compiles kernels and owns every compile flag.

``nogil``: a dashboard thread must be able to breathe while a kernel runs.
``cache``: compiling costs seconds, reading from the cache milliseconds.
``error_model="numpy"``: division by zero gives inf instead of a branch per division.
No ``fastmath``: infinities mark removed records, and results must not depend on the
order in which a compiler likes to add. No ``parallel``: two threads in a parallel
kernel on numba's workqueue layer abort the process, and every session is a thread.

numba's cache does not notice that a helper in another file has changed, so the cache
folder is named by a digest of all kernel sources.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def _digest() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _usable(folder: Path) -> bool:
    """Return whether `folder` can be made and belongs to nobody else."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        owner = not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
        return owner and os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def _cache_folder() -> str:
    """Return a private folder that survives the process where one can be had."""
    candidates = []
    if "XDG_CACHE_HOME" in os.environ:
        candidates.append(Path(os.environ["XDG_CACHE_HOME"]))
    with contextlib.suppress(RuntimeError):  # no home folder: a temporary one serves
        candidates.append(Path.home() / ".cache")
    for root in candidates:
        folder = root / "coterie" / "kernels" / _digest()
        if _usable(folder):
            return str(folder)
    return tempfile.mkdtemp(prefix="coterie-kernels-")


# numba reads the variable when it is imported, and fails at the first cached
# function where neither the package folder nor the home folder can be written.
os.environ.setdefault("NUMBA_CACHE_DIR", _cache_folder())

import numba  # noqa: E402


def kernel(function: F) -> F:
    """Compile `function` with the flags that every kernel shares."""
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return cast(F, compiled)
