"""Turns: one script draws at a time, so that each has drawn soon.

Python carries out one thread at a time and changes between those that want to go on
every few milliseconds. Where fifty pages are drawn at once, all of them are ready at
the very end; and a script that lets go for a moment, as with each message that it
sends, waits for all the others before it goes on. So scripts wait for a turn here: who
asked first goes first; but what only follows a run comes a little later than what
somebody's click began, and a file that has been read later still, for whoever has
waited for it does not mind another moment.

A turn limits nothing that takes long: after a second it no longer keeps others waiting.
That is also why no script can wait for ever for one that waits for it.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

AT_ONCE = 1
"""Scripts that draw at a time: two that compute are both ready later than one after
the other, and what changes between them takes time as well."""

LONG = 1.0
"""Seconds after which a turn keeps nobody waiting any more."""

LATER = 2.0
"""Seconds by which a look at a run comes after what somebody has clicked."""

MANY = 100_000
"""Records from which on work on all of them may take a good part of :data:`LONG`."""

AFTER_READING = 8.0
"""Seconds by which a script that has waited for a file does."""


@dataclass(order=True)
class _Ticket:
    due: float
    number: int
    called: threading.Event = field(default_factory=threading.Event, compare=False)
    since: float = field(default=0.0, compare=False)


class Turns:
    """Turns of one server's scripts.

    Parameters
    ----------
    at_once : int
        Turns at a time, those that take long not counted.
    long : float
        Seconds after which one is not counted.
    """

    def __init__(self, at_once: int = AT_ONCE, long: float = LONG) -> None:
        self._at_once, self._long = at_once, long
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._waiting: list[_Ticket] = []
        self._called: dict[int, _Ticket] = {}
        self._mine = threading.local()

    @contextmanager
    def turn(self, later: float = 0.0) -> Iterator[None]:
        """Carry out the block when it is this thread's turn.

        Parameters
        ----------
        later : float
            Seconds by which whoever asks after this one may come before it.
        """
        # What was waited for is drawn by the script that the same thread begins next.
        owed, self._mine.owed = getattr(self._mine, "owed", 0.0), 0.0
        self._take(max(later, owed))
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def aside(self, later: float) -> Iterator[None]:
        """Let others have the turn while the block only waits, if there is one.

        Parameters
        ----------
        later : float
            As of :meth:`turn`, for when the block has waited; also of the thread's next
            turn.
        """
        if getattr(self._mine, "ticket", None) is None:
            yield
            return
        self._give_back()
        try:
            yield
        finally:
            self._take(later)
            self._mine.owed = later

    def beside(self, records: int) -> AbstractContextManager[None]:
        """Let others have the turn at once if the block goes through many records.

        Loops over arrays let other threads go on: only the turn keeps them waiting.
        """
        return self.aside(0.0) if records > MANY else nullcontext()

    def crowded(self) -> bool:
        """Return whether anybody waits for a turn."""
        return bool(self._waiting)

    def _take(self, later: float) -> None:
        ticket = _Ticket(time.monotonic() + later, next(self._numbers))
        with self._lock:
            heapq.heappush(self._waiting, ticket)
            self._call()
        while not ticket.called.wait(self._long):
            with self._lock:
                self._call()
        self._mine.ticket = ticket

    def _give_back(self) -> None:
        ticket, self._mine.ticket = self._mine.ticket, None
        with self._lock:
            del self._called[ticket.number]
            self._call()

    def _call(self) -> None:
        """Call those who wait, as far as there is room."""
        now = time.monotonic()
        brief = sum(now - one.since < self._long for one in self._called.values())
        for _ in range(min(len(self._waiting), self._at_once - brief)):
            ticket = heapq.heappop(self._waiting)
            ticket.since = now
            self._called[ticket.number] = ticket
            ticket.called.set()


turns = Turns()
"""Those of this server."""


def take_turns() -> None:
    """Have Streamlit's scripts, whole ones and their parts, take turns."""
    alone = ScriptRunner._run_script

    def in_turn(self: ScriptRunner, rerun_data: RerunData) -> None:
        with turns.turn(LATER if rerun_data.is_auto_rerun else 0.0):
            alone(self, rerun_data)

    ScriptRunner._run_script = in_turn  # type: ignore[method-assign]
