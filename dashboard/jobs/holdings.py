"""Holdings: what each person's tabs hold of the server's memory.

What arrives is counted by :mod:`dashboard.server.quotas`. Here are tables, results, and
what is kept of earlier ones to go back to, as long as somebody's tab has them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from dashboard.jobs.shares import shares
from engine.core.message import NOTHING, Message
from engine.data.table import Table
from engine.pipeline.plan import Plan


@dataclass(frozen=True)
class _Held:
    person: str
    thing: weakref.ref[object]
    size: int


class Holdings:
    """What all tabs of one server hold.

    Parameters
    ----------
    person, all_ : int or None
        Bytes that one person may hold, and all together; None for any number.
    """

    def __init__(self, person: int | None = None, all_: int | None = None) -> None:
        self._person, self._all = person, all_
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    def note(self, session: str, person: str, thing: object, size: int) -> None:
        """Count what a tab holds now, in bytes, for as long as it is there."""
        if self._person is None:
            return
        with self._lock:
            self._held[session] = _Held(person, weakref.ref(thing), size)

    def room(self, person: str, session: str | None = None) -> int | None:
        """Return the bytes that somebody may still take; None for any number.

        What the tab `session` holds does not count: it is given up.
        """
        if self._person is None or self._all is None:
            return None
        with self._lock:
            for name, held in list(self._held.items()):
                if held.thing() is None:
                    del self._held[name]
            others = {name: one for name, one in self._held.items() if name != session}
        mine = sum(one.size for one in others.values() if one.person == person)
        everybody = sum(one.size for one in others.values())
        return max(0, min(self._person - mine, self._all - everybody))

    def why_not(self, size: int, person: str, session: str | None = None) -> Message:
        """Return why somebody may not take so many bytes more; nothing if they may."""
        room = self.room(person, session)
        if room is None or size <= room:
            return NOTHING
        return Message(
            "This would take {size:,.0f} MB of the server's memory, and {room:,.0f} MB "
            "are left for you: close other tabs of Coterie, open a smaller table, or "
            "ask for fewer results at a time.",
            size=size / 2**20,
            room=room / 2**20,
        )


def bytes_of_results(table: Table, plans: Sequence[Plan]) -> int:
    """Return about how many bytes the results of some plans will take.

    A release shares the columns that it does not change with its table.
    """
    own = len(table.schema.quasi_identifiers)
    columns = sum(2 + (len(plan.quasi_identifiers) or own) for plan in plans)
    return 8 * table.n_records * columns


@cache
def holdings() -> Holdings:
    """Return those of this server; where one person is served, nothing is counted."""
    share = shares()
    if not share.many:
        return Holdings()
    return Holdings(share.person_bytes, share.held_bytes)
