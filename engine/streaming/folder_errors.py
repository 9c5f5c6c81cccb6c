"""Errors of the system during a run, as sentences on what they are about."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import InputError
from engine.core.platform.system_errors import (
    TOO_MANY_FILES_CODES,
    path_of_error,
    reason_of_error,
)
from engine.core.platform.temporary import DISK_FULL_CODES


def explain_system_error(error: OSError, folder: Path, target: Path) -> InputError:
    """Return the error that says what the system refused to a run, and what to do.

    Only an error about a file within the work folder is said to be one of the folder.

    Parameters
    ----------
    error : OSError
    folder : Path
        The work folder, absolute.
    target : Path
        Where the release would be.
    """
    path = path_of_error(error)
    values = {"reason": reason_of_error(error), "target": target.name}
    if error.errno in DISK_FULL_CODES:
        return InputError(
            "There is no room for {path} ({reason}): nothing was written to "
            "{target!r}; what is finished is kept, so make room on that disk and "
            "repeat the run.",
            path=folder if path is None else path,
            **values,
        )
    if error.errno in TOO_MANY_FILES_CODES:
        return InputError(
            "No more files can be opened ({reason}): nothing was written to "
            "{target!r}; what is finished is kept, so close other programs or allow "
            "more open files, and repeat the run.",
            **values,
        )
    if path is None:
        return InputError(
            "The system has refused something that the run needs ({reason}): nothing "
            "was written to {target!r}; what is finished is kept, so repeat the run "
            "once that is put right.",
            **values,
        )
    if path.absolute().is_relative_to(folder):
        return InputError(
            "The work folder {folder} cannot be used ({reason}): nothing was written "
            "to {target!r}; what is finished is kept, so repeat the run once that is "
            "put right.",
            folder=folder,
            **values,
        )
    return InputError(
        "{path} cannot be read or written ({reason}): nothing was written to "
        "{target!r}; what is finished is kept, so repeat the run once that is put "
        "right.",
        path=path,
        **values,
    )
