"""Rules and noise: centres that must keep a rule stay nearer to those of clean data."""

from __future__ import annotations

from functools import lru_cache

from engine.analysis.edited_centres import NOISY, Centres, Spread, compare, noisy
from engine.analysis.edited_centres import over_draws as repeated

DEVIATIONS = (0.5, 1.0, 1.5, 3.0)
"""Of the noise; the source prints figures for the first three."""

PRINTED = 1.5
"""The deviation of which the source prints the noisy records themselves."""

DRAWS = 60


@lru_cache(maxsize=len(DEVIATIONS))
def centres(deviation: float) -> Centres:
    """Return the centres of one noisy table: the printed one where there is one."""
    return compare(NOISY if deviation == PRINTED else noisy(deviation, 0))


@lru_cache(maxsize=len(DEVIATIONS))
def over_draws(deviation: float) -> Spread:
    """Return what noise drawn anew does, again and again."""
    return repeated(deviation, DRAWS)
