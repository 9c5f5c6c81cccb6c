"""Change of variances, which averaging within groups lowers."""

from __future__ import annotations

import math

import numpy as np

from engine.core.typing import Values
from engine.measures.base import MeasureCost, MeasuredRelease, Score, measures
from engine.measures.before_after.numbers import (
    NumericChangeInfo,
    NumericPair,
    mean_over_columns,
)
from engine.measures.judge import sampling_judge
from engine.measures.sources import MOMENTS_REFERENCE


def _weighted_variance(values: Values, weights: Values) -> float:
    return float(weights @ np.square(values - weights @ values))


def _variance_change(pair: NumericPair) -> float:
    before = _weighted_variance(pair.before, pair.weights)
    if np.ptp(pair.before) == 0.0:
        return 0.0
    return 100.0 * abs(_weighted_variance(pair.after, pair.weights) - before) / before


def _standard_error(pair: NumericPair) -> float:
    """Return the standard error of the variance, by the fourth moment, in per cent."""
    variance = _weighted_variance(pair.before, pair.weights)
    if np.ptp(pair.before) == 0.0:
        return 0.0
    centred = pair.before - pair.weights @ pair.before
    kurtosis = float(pair.weights @ centred**4) / variance**2
    return 100.0 * math.sqrt(max(kurtosis - 1.0, 0.0) / pair.effective_size)


@measures.register(
    NumericChangeInfo(
        id="variances",
        title="Change of variances",
        summary=(
            "The mean change of the attributes' variances, in per cent. If the "
            "common value of groups is the mean, variances can only become smaller."
        ),
        formula="100 * |var(x'_j) - var(x_j)| / var(x_j), mean over attributes",
        unit="%",
        reference=MOMENTS_REFERENCE,
        judge=sampling_judge(small=2.0),
        effort=MeasureCost(microseconds=0.2),
    )
)
def variance_change(protected: MeasuredRelease) -> Score:
    """Return the change of each attribute's variance in per cent, weighted."""
    return mean_over_columns("variances", protected, _variance_change, _standard_error)
