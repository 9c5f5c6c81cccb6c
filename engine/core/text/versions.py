"""Version of this program, and a sentence on what a newer one has written."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version

from engine.core.message import Message


@cache
def own_version() -> str:
    """Return the version of Coterie that runs."""
    return version("coterie")


def newer_version_message(written: object) -> Message | None:
    """Return a sentence on a file that a newer version has written; None otherwise.

    Parameters
    ----------
    written : object
        The version that a file of unknown origin names.
    """
    if not isinstance(written, str) or _numbers(written) <= _numbers(own_version()):
        return None
    return Message(
        "Coterie {written} has written this file, and Coterie {own} here does not know "
        "all that is in it: install the newer version here, or make the file again "
        "with this one.",
        written=written[:40],
        own=own_version(),
    )


def _numbers(text: str) -> list[int]:
    """Return the numbers with which a version begins; none if it is no version."""
    match = re.match(r"\d{1,6}(\.\d{1,6}){0,5}(?!\d)", text, re.ASCII)
    return [int(number) for number in match[0].split(".")] if match else []
