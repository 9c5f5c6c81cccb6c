"""Memory accounting: bytes that each person's tabs hold on the server.

What arrives is counted by :mod:`dashboard.server.quotas`. Here are tables, results, and
what is kept of earlier ones to go back to, as long as somebody's tab has them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from dashboard.jobs.shares import resource_limits
from engine.core.message import NO_MESSAGE, Message
from engine.data.table import Table
from engine.pipeline.plan import Plan


@dataclass(frozen=True)
class _Held:
    person: str
    thing: weakref.ref[object]
    size: int


class MemoryAccounts:
    """Bytes that all tabs of one server hold, by person and session.

    Parameters
    ----------
    person, all_ : int or None
        Bytes that one person may hold, and all together; None for any number.
    """

    def __init__(self, person: int | None = None, all_: int | None = None) -> None:
        self._person, self._all = person, all_
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    def record_bytes(
        self, session: str, person: str, owner: object, nbytes: int
    ) -> None:
        """Record how many bytes a tab holds, for as long as the object lives."""
        if self._person is None:
            return
        with self._lock:
            self._held[session] = _Held(person, weakref.ref(owner), nbytes)

    def available_bytes(self, person: str, session: str | None = None) -> int | None:
        """Return the bytes that a person may still take; None if unlimited.

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

    def denial_reason(
        self, nbytes: int, person: str, session: str | None = None
    ) -> Message:
        """Return why a person may not take so many more bytes; empty if they may."""
        room = self.available_bytes(person, session)
        if room is None or nbytes <= room:
            return NO_MESSAGE
        return Message(
            "This would take {size:,.0f} MB of the server's memory, and {room:,.0f} MB "
            "are left for you: close other tabs of Coterie, open a smaller table, or "
            "ask for fewer results at a time.",
            size=nbytes / 2**20,
            room=room / 2**20,
        )


def estimate_result_bytes(table: Table, plans: Sequence[Plan]) -> int:
    """Estimate the bytes that the results of some plans will take.

    A release shares the columns that it does not change with its table.
    """
    own = len(table.schema.quasi_identifiers)
    columns = sum(2 + (len(plan.quasi_identifiers) or own) for plan in plans)
    return 8 * table.n_records * columns


@cache
def memory_accounts() -> MemoryAccounts:
    """Return the accounts of this server; a server for one person counts nothing."""
    share = resource_limits()
    if not share.many:
        return MemoryAccounts()
    return MemoryAccounts(share.person_bytes, share.held_bytes)
