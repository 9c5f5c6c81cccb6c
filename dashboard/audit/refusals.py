"""Count refused requests per minute, so that they do not fill the audit log."""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any

MAX_ADDRESSES = 1_000
"""Addresses that have a line of their own in one minute; the others share one."""

OTHERS = "others"


class RefusalCounter:
    """Counter of refused requests by minute, address and person."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, str, str], Counter[str]] = {}
        self._lock = threading.Lock()

    def add(self, address: str, reason: str, person: str = "") -> None:
        """Count a refused request.

        Parameters
        ----------
        address : str
            From where it was asked.
        reason : str
            Why it was refused, in a few words of ours.
        person : str
            Who has signed in there; empty for nobody.
        """
        key = int(time.time() // 60), address, person
        with self._lock:
            if key not in self._counts and len(self._counts) >= MAX_ADDRESSES:
                key = key[0], OTHERS, ""
            self._counts.setdefault(key, Counter())[reason] += 1

    def take_due(self, is_end: bool = False) -> list[tuple[str, dict[str, Any]]]:
        """Return and remove the counts of past minutes, as (person, facts) pairs.

        Parameters
        ----------
        is_end : bool
            Whether this minute is over as well.
        """
        now = int(time.time() // 60)
        with self._lock:
            due = [key for key in self._counts if is_end or key[0] < now]
            taken = [(key, self._counts.pop(key)) for key in due]
        return [
            (
                who,
                {
                    "address": address,
                    "minute": datetime.fromtimestamp(60 * minute, UTC).isoformat(),
                    "count": reasons.total(),
                    "reasons": dict(sorted(reasons.items())),
                },
            )
            for (minute, address, who), reasons in taken
        ]
