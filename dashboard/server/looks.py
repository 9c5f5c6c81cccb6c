"""Looks: how often parts of pages that follow something are drawn again.

A browser asks for such a part several times a second, whoever else is there. Each
costs what a small page does, and a hundred of them a second are all that one process
can draw: then nobody's click is answered. So all of them together get so many a second,
and whoever follows something among fifty hears of it every few seconds. What has just
begun is looked at most often: first results are near, and somebody waits for them.
"""

from __future__ import annotations

import time

A_SECOND = 12.0
"""Looks of all people together."""

OFTEN = 0.25
"""Seconds between two looks at what has just begun."""

LATER, PAUSE = 5.0, 0.45
"""Seconds after which it is looked at less often, and that then pass at least: at every
second time that a browser asks."""

_GONE = 3.0
"""Seconds after which nobody follows any more what has not been asked for again."""

Part = tuple[str, str]
"""A session, and a part of its page."""


class Looks:
    """Who follows what, and when each has looked last; on one thread only.

    Parameters
    ----------
    a_second : float
        As :data:`A_SECOND`.
    """

    def __init__(self, a_second: float = A_SECOND) -> None:
        self._a_second = a_second
        self._asked: dict[Part, float] = {}
        self._since: dict[Part, float] = {}
        self._looked: dict[Part, float] = {}

    def is_due(self, part: Part) -> bool:
        """Return whether whoever asks to look at a part again may; then they have."""
        now = time.monotonic()
        if now - self._asked.get(part, 0.0) > _GONE:
            self._since[part] = now
        self._asked[part] = now
        last = self._looked.get(part)
        pause = len(self._asked) / self._a_second
        if now - self._since.setdefault(part, now) > LATER:
            pause = max(pause, PAUSE)
        if last is not None and now - last < pause:
            self._forget(now)
            return False
        self._looked[part] = now
        return True

    def _forget(self, now: float) -> None:
        """Forget whoever has not asked for a while."""
        for part in [one for one, at in self._asked.items() if now - at > _GONE]:
            del self._asked[part]
            self._since.pop(part, None)
            self._looked.pop(part, None)
