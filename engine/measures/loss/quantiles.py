"""Change of quantiles: shifts of the deciles."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values
from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.before_after.numbers import (
    NumericChangeInfo,
    NumericPair,
    mean_over_columns,
)
from engine.measures.judge import sampling_judge

DECILE_LEVELS = np.arange(1, 10) / 10
"""Shares of the quantiles that are compared."""


def _weighted_deciles(
    values: Values, weights: Values, at: Values = DECILE_LEVELS
) -> Values:
    deciles: Values = np.quantile(values, at, method="inverted_cdf", weights=weights)
    return deciles


def _decile_change(pair: NumericPair) -> float:
    moved = _weighted_deciles(pair.after, pair.weights) - _weighted_deciles(
        pair.before, pair.weights
    )
    return 100.0 * pair.in_deviations(float(np.abs(moved).mean()))


def _standard_error(pair: NumericPair) -> float:
    """Return the mean standard error of the deciles, by the values around them.

    The quantiles one error of a share below and above are one error of the quantile
    away: Woodruff 1952, https://doi.org/10.1080/01621459.1952.10483443.
    """
    error = np.sqrt(DECILE_LEVELS * (1.0 - DECILE_LEVELS) / pair.effective_size)
    ends = np.clip(
        np.concatenate([DECILE_LEVELS - error, DECILE_LEVELS + error]), 0.0, 1.0
    )
    low, high = np.split(_weighted_deciles(pair.before, pair.weights, ends), 2)
    return 100.0 * pair.in_deviations(float((high - low).mean()) / 2)


@measures.register(
    NumericChangeInfo(
        id="quantiles",
        title="Change of quantiles",
        summary=(
            "The deciles divide the sorted values of an attribute into ten equal "
            "parts. The measure is the mean change of the deciles, in per cent of "
            "the attribute's standard deviation."
        ),
        formula="100 * mean over deciles of |q(x'_j) - q(x_j)| / s_j, mean over j",
        unit="%",
        reference=(
            "Mateo-Sanz, Domingo-Ferrer & Sebé 2005, "
            "https://doi.org/10.1007/s10618-005-0011-9"
        ),
        judge=sampling_judge(small=2.0),
    )
)
def quantile_change(protected: MeasuredRelease) -> Score:
    """Return the change of each attribute's deciles in per cent, weighted."""
    return mean_over_columns("quantiles", protected, _decile_change, _standard_error)
