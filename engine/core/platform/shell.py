"""Quote arguments of commands for the shell that people have here."""

from __future__ import annotations

import re
import shlex
import sys

_PLAIN = re.compile(r"[\w.:/\\=+][\w.:/\\=+-]*", re.ASCII)
"""What PowerShell takes as it is written."""

_SINGLE_QUOTES = re.compile("(['\u2018-\u201b])")
"""What ends a text in single quotes in PowerShell, unless it stands there twice."""


def quote_argument(text: str) -> str:
    """Return a text as one argument of a POSIX shell; on Windows, of PowerShell.

    PowerShell 5, which every Windows has, loses double quotes on the way to a program
    unless a backslash stands before them.
    """
    if sys.platform != "win32":
        return shlex.quote(text)
    if _PLAIN.fullmatch(text):
        return text
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', text)
    doubled = _SINGLE_QUOTES.sub(r"\1\1", escaped)
    return f"'{doubled}'"


def join_lines(lines: list[str]) -> str:
    """Return the lines of one command, each marked as going on but for the last."""
    mark = "`" if sys.platform == "win32" else "\\"
    return f" {mark}\n  ".join(lines)
