"""Compiled kernels on disk: those of versions that nobody uses any more are removed."""

from __future__ import annotations

import contextlib
import re
import shutil
import time

from engine.kernels._jit import ROOT, TEMPORARY

KEPT_DAYS = 7.0
"""After which a folder goes that no process has used. Another version that is used less
often compiles once more."""

_FOLDER = re.compile(r"[0-9a-f]{16}")
_GONE = ".gone"


def are_kept() -> bool:
    """Return whether what is compiled is there for the next process."""
    return not ROOT.name.startswith(TEMPORARY)


def remove_unused(days: float = KEPT_DAYS) -> int:
    """Remove what no process has read or written for long; return how many folders.

    What else lies beside them is not ours. A folder is moved out of the way first, so
    that nobody finds half of it.

    Parameters
    ----------
    days : float
        A folder's time is that of the last process that has used it.
    """
    before = time.time() - 86400.0 * days
    removed = 0
    with contextlib.suppress(OSError):
        for folder in list(ROOT.iterdir()):
            left = folder.name.endswith(_GONE)  # by a process that was ended here
            if not _FOLDER.fullmatch(folder.name.removesuffix(_GONE)):
                continue
            with contextlib.suppress(OSError):
                if left or folder.stat().st_mtime < before:
                    gone = folder.with_suffix(_GONE)
                    folder.rename(gone)
                    shutil.rmtree(gone, ignore_errors=True)
                    removed += 1
    return removed
