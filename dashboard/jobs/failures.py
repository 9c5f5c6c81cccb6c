"""Failure messages: why a run failed, as sentences for people."""

from __future__ import annotations

import signal
import sys
import traceback
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.message import Message
from engine.core.platform.processes import KILLED_EXIT_CODES


def memory_limit_message(used: int, limit: int) -> Message:
    """Return the message for a worker that was killed for using too much memory.

    Parameters
    ----------
    used, limit : int
        Bytes.
    """
    return Message(
        "The run was stopped when it had taken {used:.1f} GB of memory; it may take "
        "{limit:.1f} GB here: choose a faster method, or a table with fewer records.",
        used=used / 2**30,
        limit=limit / 2**30,
    )


_NO_MEMORY = Message(
    "There was not enough memory for the run: choose fewer or faster methods, or a "
    "table with fewer records."
)


def failure_message(error: Exception) -> Message:
    """Return why a run stopped, as a sentence; log errors in the program itself."""
    if isinstance(error, EngineError):
        return error.message
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    return Message(
        "The run stopped because of a mistake in Coterie ({where}): please report it. "
        "What was finished before is kept.",
        where=log_program_error("a run stopped", error),
    )


def exit_code_message(exit_code: int) -> Message:
    """Return why a worker ended before its run did, as a sentence."""
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


def log_program_error(what: str, error: Exception) -> str:
    """Log the location of a program error and return it, without any data values.

    Parameters
    ----------
    what : str
        What went wrong by it, for those who look after the server.
    error : Exception
        Its message is not repeated, as it may hold such values.
    """
    last = traceback.extract_tb(error.__traceback__)[-1]
    # Without a word: it stands in sentences of any language.
    where = f"{type(error).__name__}, {Path(last.filename).name}:{last.lineno}"
    print(f"coterie: {what}: {where}", file=sys.stderr)
    return where
