"""Lesson on rules and noise: centres that keep a rule stay nearer to clean ones."""

from __future__ import annotations

from functools import lru_cache

from engine.analysis.edited_centres import (
    NOISY_RECORDS,
    DrawsSummary,
    FittedCentres,
    add_noise,
    compare_centres,
)
from engine.analysis.edited_centres import repeat_draws as repeated

NOISE_DEVIATIONS = (0.5, 1.0, 1.5, 3.0)
"""Of the noise; the source prints figures for the first three."""

PRINTED_DEVIATION = 1.5
"""The deviation of which the source prints the noisy records themselves."""

N_DRAWS = 60


@lru_cache(maxsize=len(NOISE_DEVIATIONS))
def fitted_centres(deviation: float) -> FittedCentres:
    """Return the centres of one noisy table: the printed one where there is one."""
    return compare_centres(
        NOISY_RECORDS if deviation == PRINTED_DEVIATION else add_noise(deviation, 0)
    )


@lru_cache(maxsize=len(NOISE_DEVIATIONS))
def summarise_draws(deviation: float) -> DrawsSummary:
    """Return what noise drawn anew does, again and again."""
    return repeated(deviation, N_DRAWS)
