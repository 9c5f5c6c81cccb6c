"""Errors of the system: which file they are about, and why."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TOO_MANY_FILES_CODES = frozenset({errno.EMFILE, errno.ENFILE})
"""Error numbers of a process, or a machine, that may open no more files."""


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Context manager whose errors of the system that name no file name this one.

    Python names the file that cannot be opened, but not the one that cannot be read or
    written; Arrow names none.

    Parameters
    ----------
    path : Path
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        reason = os.strerror(error.errno)
        raise OSError(error.errno, reason, str(path)) from error


def path_of_error(error: OSError) -> Path | None:
    """Return the path of the file that an error names; None if it names none."""
    name = error.filename
    return Path(os.fsdecode(name)) if isinstance(name, (str, bytes)) else None


def reason_of_error(error: OSError) -> str:
    """Return why the system refused something, in lower case."""
    if error.errno is not None:
        return os.strerror(error.errno).lower()
    return (error.strerror or type(error).__name__).lower()
