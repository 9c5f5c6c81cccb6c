"""Resource limits of a reading process, enforced by the operating system."""

from __future__ import annotations

import resource
import signal
from dataclasses import dataclass

from engine.core.message import Message

OUT_OF_MEMORY_EXIT_CODE = 77
"""Exit code of a process that has noticed by itself that there is no more memory."""

_MAX_DESCRIPTORS = 256

_KILL_DELAY_SECONDS = 5
"""Seconds of the processor between the signal that time is over and the end."""


@dataclass(frozen=True)
class ProcessLimits:
    """What reading one file may take.

    Attributes
    ----------
    memory : int
        Bytes of the process, and of each file that it writes.
    seconds : int
        From the beginning to the end, and of the processor alone.
    table : int
        Bytes of the table that comes of it.
    """

    memory: int = 2 * 2**30
    seconds: int = 120
    table: int = 2**30

    def apply_to_process(self) -> None:
        """Bind this process: nothing that it does later can loosen the limits."""
        # Data, not address space: what is reserved and never written costs nothing.
        _bind(resource.RLIMIT_DATA, self.memory)
        _bind(resource.RLIMIT_FSIZE, self.memory)
        _bind(resource.RLIMIT_NOFILE, _MAX_DESCRIPTORS)
        _bind(resource.RLIMIT_CORE, 0)
        spent = resource.getrusage(resource.RUSAGE_SELF)
        used = int(spent.ru_utime + spent.ru_stime)
        # Beyond the hard limit the system kills, without saying that it was for time.
        _bind(
            resource.RLIMIT_CPU,
            used + self.seconds,
            used + self.seconds + _KILL_DELAY_SECONDS,
        )
        # A process that sleeps takes no processor; then the clock ends it.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(self.seconds)

    def end_message(self, exit_code: int, name: str) -> Message:
        """Return, as a sentence, why reading a file ended without an answer.

        Parameters
        ----------
        exit_code : int
            Negative numbers are signals.
        name : str
            Of the file.
        """
        if exit_code in (-signal.SIGALRM, -signal.SIGXCPU):
            return Message(
                "Work on {file!r} was stopped after {seconds} seconds, which is as "
                "long as a file may take here: split it, or leave columns out.",
                file=name,
                seconds=self.seconds,
            )
        if exit_code == -signal.SIGKILL:
            return Message(
                "Work on {file!r} was ended by the system, which has too little memory "
                "left, or by somebody who looks after it: close other programs and "
                "try it again.",
                file=name,
            )
        # Libraries in C++ and Rust abort where they are given no more memory.
        if exit_code in (OUT_OF_MEMORY_EXIT_CODE, -signal.SIGABRT):
            return Message(
                "Work on {file!r} takes more than the {limit:.1f} GB of memory that a "
                "file may take here: split it, or leave columns out.",
                file=name,
                limit=self.memory / 2**30,
            )
        if exit_code == -signal.SIGXFSZ:
            return Message(
                "The table in {file!r} is larger than the {limit:.1f} GB that one may "
                "have here: split it, or leave columns out.",
                file=name,
                limit=self.memory / 2**30,
            )
        return Message(
            "File {file!r} cannot be read: it made its reader end (code {code}). It is "
            "damaged, or not what its name says: get it again, or save it anew.",
            file=name,
            code=exit_code,
        )


def _bind(what: int, soft: int, hard: int | None = None) -> None:
    most = soft if hard is None else hard
    _soft, known = resource.getrlimit(what)
    if known != resource.RLIM_INFINITY:
        most = min(most, known)
    resource.setrlimit(what, (min(soft, most), most))
