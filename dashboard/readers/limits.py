"""Limits on reading one file, and messages on why its process ended."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.message import Message
from engine.core.platform import limits
from engine.core.platform.processes import KILLED_EXIT_CODES


@dataclass(frozen=True)
class ReadingProcessLimits:
    """Memory, seconds and table bytes that the reading of one file may take.

    Attributes
    ----------
    memory : int
        Bytes of the process, and of each file that it writes.
    seconds : int
        Most processor time; a little more is given from beginning to end.
    table : int
        Bytes of the table that comes of it.
    """

    memory: int = 2 * 2**30
    seconds: int = 120
    table: int = 2**30

    def end_message(self, exit_code: int, name: str) -> Message:
        """Return a sentence on why a reading process ended without an answer.

        Parameters
        ----------
        exit_code : int
            Negative numbers are signals.
        name : str
            Of the file.
        """
        if exit_code in limits.OUT_OF_TIME_EXIT_CODES:
            return Message(
                "Work on {file!r} was stopped after {seconds} seconds, which is as "
                "long as a file may take here: split it, or leave columns out.",
                file=name,
                seconds=self.seconds,
            )
        if exit_code in KILLED_EXIT_CODES:
            return Message(
                "Work on {file!r} was ended by the system, which has too little memory "
                "left, or by somebody who looks after it: close other programs and "
                "try it again.",
                file=name,
            )
        if exit_code in limits.OUT_OF_MEMORY_EXIT_CODES:
            return Message(
                "Work on {file!r} takes more than the {limit:.1f} GB of memory that a "
                "file may take here: split it, or leave columns out.",
                file=name,
                limit=self.memory / 2**30,
            )
        if exit_code in limits.TOO_LARGE_EXIT_CODES:
            return Message(
                "The table in {file!r} is larger than the {limit:.1f} GB that one may "
                "have here: split it, or leave columns out.",
                file=name,
                limit=self.table / 2**30,
            )
        return Message(
            "File {file!r} cannot be read: it made its reader end (code {code}). It is "
            "damaged, or not what its name says: get it again, or save it anew.",
            file=name,
            code=exit_code,
        )
