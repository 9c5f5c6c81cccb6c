"""Sentences for people on why a run or its worker process failed."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.message import Message
from engine.core.platform.processes import KILLED_EXIT_CODES
from engine.core.platform.temporary import DISK_FULL_CODES


def memory_limit_message(used_bytes: int, limit_bytes: int) -> Message:
    """Return a sentence on a run that was stopped as it exceeded its memory limit."""
    return Message(
        "The run was stopped when it had taken {used:.1f} GB of memory; it may take "
        "{limit:.1f} GB here: choose a faster method, or a table with fewer records.",
        used=used_bytes / 2**30,
        limit=limit_bytes / 2**30,
    )


DISK_FULL_EXIT_CODE = 74
"""Exit code of a worker that has no room to write how its run ended (as EX_IOERR)."""

_NO_MEMORY = Message(
    "There was not enough memory for the run: choose fewer or faster methods, or a "
    "table with fewer records."
)


def log_and_describe_failure(error: Exception) -> Message:
    """Return a sentence on why a run stopped; print where if by a program error."""
    if isinstance(error, EngineError):
        return error.message
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    if isinstance(error, OSError):
        return _system_message(error)
    return Message(
        "The run stopped because of a mistake in Coterie ({where}): please report it. "
        "What was finished before is kept.",
        where=log_and_format_program_error("a run stopped", error),
    )


def _system_message(error: OSError) -> Message:
    """Return a sentence on what the operating system refused to a run."""
    if error.errno in DISK_FULL_CODES:
        return _disk_full_message(error.strerror)
    return Message(
        "The operating system refused something to the run ({reason}): look at its "
        "limits, and at the folder for temporary files. What was finished before is "
        "kept.",
        reason=error.strerror or type(error).__name__,
    )


def _disk_full_message(reason: str | None) -> Message:
    """Return a sentence on a run that had no room for its results, and the reason."""
    return Message(
        "The run could not write its results ({reason}): make room in the folder "
        "for temporary files. What was finished before is kept.",
        reason=reason,
    )


def exit_code_message(exit_code: int) -> Message:
    """Return a sentence on why a worker process ended, by the exit code."""
    if exit_code == DISK_FULL_EXIT_CODE:
        return _disk_full_message(os.strerror(errno.ENOSPC))
    if exit_code in KILLED_EXIT_CODES:
        return Message(
            "The operating system ended the run, most likely because memory ran "
            "out: choose fewer methods, or close other programs."
        )
    if exit_code < 0:
        name = signal.Signals(-exit_code).name
        return Message(
            "The run crashed ({signal}); the dashboard and its data are unharmed.",
            signal=name,
        )
    return Message(
        "The run ended before it was done (exit code {exit_code}); the dashboard and "
        "its data are unharmed.",
        exit_code=exit_code,
    )


def log_and_format_program_error(event: str, error: Exception) -> str:
    """Print a program error's type, file and line, no data; return the same as text.

    Parameters
    ----------
    event : str
        What went wrong by it, for those who look after the server.
    error : Exception
        Its message is not repeated, as it may hold values of the table.
    """
    last = traceback.extract_tb(error.__traceback__)[-1]
    # Without a word: it stands in sentences of any language.
    where = f"{type(error).__name__}, {Path(last.filename).name}:{last.lineno}"
    print(f"coterie: {event}: {where}", file=sys.stderr)
    return where
