"""Memory accounts: bytes that tabs hold on a server, and how many they may hold.

Uploads are counted by :mod:`dashboard.server.adapter.runtime`; tables, results, and
what is kept of earlier ones to go back to count here while somebody's tab has them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from functools import cache

from dashboard.jobs.workers.resource_limits import resource_limits
from engine.core.message import NO_MESSAGE, Message
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan


class MemoryAccounts:
    """Record of the bytes that each tab of a server holds, with a limit on their sum.

    Parameters
    ----------
    limit : int or None
        Bytes that all may hold together; None for any number.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._held: dict[str, tuple[weakref.ref[object], int]] = {}

    def record_bytes(self, session: str, owner: object, nbytes: int) -> None:
        """Record the bytes that a tab holds, until the owner object is deleted."""
        with self._lock:
            self._held[session] = weakref.ref(owner), nbytes

    def available_bytes(self, session: str | None = None) -> int | None:
        """Return the bytes that a tab may hold in all; None if unlimited.

        What the tab `session` holds does not count: it is given up.
        """
        if self._limit is None:
            return None
        with self._lock:
            self._held = {
                name: pair for name, pair in self._held.items() if pair[0]() is not None
            }
            held_bytes = sum(
                size for name, (_, size) in self._held.items() if name != session
            )
        return max(0, self._limit - held_bytes)

    def denial_reason(self, nbytes: int, session: str | None = None) -> Message:
        """Return why a tab may not take so many bytes; empty if it may."""
        room = self.available_bytes(session)
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
    """Return an estimate of the bytes that the results of plans will take.

    A release shares the columns that it does not change with its table, and holds one
    value of the others for each group of at least k.
    """
    n_quasi_identifiers, columns = len(table.schema.quasi_identifiers), 0.0
    for plan in plans:
        traits = methods.info(plan.method).traits
        share = 1 if traits.per_attribute or traits.probabilistic else plan.k
        columns += 2 + (len(plan.quasi_identifiers) or n_quasi_identifiers) / share
    return int(8 * table.n_records * columns)


@cache
def memory_accounts() -> MemoryAccounts:
    """Return this process's only account of the bytes that tabs hold.

    Who is alone on a machine may hold anything.
    """
    share = resource_limits()
    return MemoryAccounts(share.person_bytes if share.many else None)
