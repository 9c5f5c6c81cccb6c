"""Lesson on rules and noise: rules keep noisy centres nearer to the clean ones."""

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
def compare_noisy_centres(noise_deviation: float) -> FittedCentres:
    """Return the clean, noisy and rule-fitted centres of one noisy table."""
    return compare_centres(
        NOISY_RECORDS
        if noise_deviation == PRINTED_DEVIATION
        else add_noise(noise_deviation, 0)
    )


@lru_cache(maxsize=len(NOISE_DEVIATIONS))
def summarise_noise_draws(noise_deviation: float) -> DrawsSummary:
    """Return the centres' distances from the clean ones over many draws of noise."""
    return repeated(noise_deviation, N_DRAWS)
