"""Why a run failed, as sentences for those who wait for it."""

from __future__ import annotations

import signal
import sys
import traceback
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.message import Message


def too_big(used: int, limit: int) -> Message:
    """Return, as a sentence, why a worker was ended that took too much memory.

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


def why_failed(error: Exception) -> Message:
    """Return, as a sentence, why a run stopped; a mistake in Coterie is logged too."""
    if isinstance(error, EngineError):
        return error.message
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    return Message(
        "The run stopped because of a mistake in Coterie ({where}): please report it. "
        "What was finished before is kept.",
        where=report_mistake("a run stopped", error),
    )


def why_ended(exit_code: int) -> Message:
    """Return, as a sentence, why a worker ended before its run did."""
    if exit_code == -signal.SIGKILL:
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


def report_mistake(what: str, error: Exception) -> str:
    """Log where a mistake in Coterie is, and return it: no values of anybody's table.

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
