"""Limit of a search for groups of persons: by steps or by seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.methods.base import Microaggregator

POLISH_STEP_FACTOR = 4
"""Factor on the number of steps where groups are polished."""

NARROW_COORDINATES = 16
"""Coordinates up to which a step costs much the same; more cost by their number."""

QUICK_STEP_SHARE = 0.02
"""Share of the steps that a quick search takes."""


@dataclass
class SearchEffort:
    """Limit of a search: a share of its default steps, a step count, or an end time.

    Attributes
    ----------
    share : float
        Factor on the steps that a search takes by itself.
    seed : int
    share_of_table : float
        Share of the table's records that are searched: a part of a large table has that
        part of the steps up to which a table is small.
    until : float or None
        Reading of :func:`time.monotonic` at which a search ends; None where it goes by
        steps alone.
    max_steps : int
        Steps at which a search ends where the method asks for steps; else 0.
    steps : int
        Steps taken so far.
    """

    share: float
    seed: int
    share_of_table: float = 1.0
    until: float | None = None
    max_steps: int = 0
    steps: int = 0

    @classmethod
    def from_method(
        cls, method: Microaggregator, polish: bool, of_all: float, share_of_table: float
    ) -> SearchEffort:
        """Return the effort for a method, scaled to a share of all records.

        `of_all`, the share of the records grouped now, scales the steps or seconds that
        the method asks for; `share_of_table`, their share of the table, default steps.
        """
        share = float(POLISH_STEP_FACTOR if polish else 1)
        seconds = method.info.traits.time_budget
        max_steps = getattr(method, "iterations", 0)
        if not seconds:
            return cls(share, method.seed, share_of_table)
        if max_steps:
            max_steps = max(1, int(max_steps * of_all))
            return cls(share, method.seed, share_of_table, max_steps=max_steps)
        until = time.monotonic() + of_all * getattr(method, seconds)
        return cls(share, method.seed, share_of_table, until)

    def with_share(self, share: float) -> SearchEffort:
        """Return the effort of a share of the default steps, without other limits."""
        return SearchEffort(share, self.seed, self.share_of_table)

    def step_share(self, n_coordinates: int) -> float:
        """Return the share of the steps to take for points of some coordinates."""
        return self.share * min(1.0, NARROW_COORDINATES / max(1, n_coordinates))

    @property
    def is_open(self) -> bool:
        """Whether the search repeats rounds until time or steps run out."""
        return self.until is not None or self.max_steps > 0

    def is_over(self) -> bool:
        """Return whether time or steps have run out."""
        if self.max_steps:
            return self.steps >= self.max_steps
        return self.until is not None and time.monotonic() >= self.until
