"""Delete cached kernels that no process has used for a long time."""

from __future__ import annotations

import contextlib
import re
import shutil
import time

from engine.kernels.compilation._jit import CACHE_ROOT, TEMPORARY_PREFIX

MAX_UNUSED_DAYS = 7.0
"""Days after which an unused folder is deleted; what is used less compiles anew."""

_FOLDER_PATTERN = re.compile(r"[0-9a-f]{16}")
_REMOVED_SUFFIX = ".gone"


def is_cache_persistent() -> bool:
    """Return whether compiled kernels are stored for later processes."""
    return not CACHE_ROOT.name.startswith(TEMPORARY_PREFIX)


def remove_unused_folders(days: float = MAX_UNUSED_DAYS) -> int:
    """Delete cache folders unused for some days; return their number.

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
        for folder in list(CACHE_ROOT.iterdir()):
            # Left by a process that was ended in the middle of this loop.
            is_leftover = folder.name.endswith(_REMOVED_SUFFIX)
            if not _FOLDER_PATTERN.fullmatch(folder.name.removesuffix(_REMOVED_SUFFIX)):
                continue
            with contextlib.suppress(OSError):
                if is_leftover or folder.stat().st_mtime < before:
                    gone = folder.with_suffix(_REMOVED_SUFFIX)
                    if not is_leftover:
                        folder.rename(gone)
                    shutil.rmtree(gone, ignore_errors=True)
                    removed += 1
    return removed
