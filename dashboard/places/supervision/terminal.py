"""Messages on the terminal of a server with places."""

from __future__ import annotations

import sys


def describe_exit(code: int) -> str:
    """Return in words how a process has ended, by its exit code."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def say(words: str) -> None:
    """Print ``coterie:`` and given words as a line to standard error."""
    print(f"coterie: {words}", file=sys.stderr, flush=True)
