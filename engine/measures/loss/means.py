"""Change of means; zero where groups take their mean."""

from __future__ import annotations

import math

from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.before_after.numbers import (
    NumericChangeInfo,
    NumericPair,
    mean_over_columns,
)
from engine.measures.judge import sampling_judge
from engine.measures.sources import MOMENTS_REFERENCE


def _mean_change(pair: NumericPair) -> float:
    difference = abs(float(pair.weights @ (pair.after - pair.before)))
    return 100.0 * pair.in_deviations(difference)


def _standard_error(pair: NumericPair) -> float:
    return 100.0 / math.sqrt(pair.effective_size) if pair.standard_deviation else 0.0


@measures.register(
    NumericChangeInfo(
        id="means",
        title="Change of means",
        summary=(
            "The change of each attribute's mean, in per cent of the attribute's "
            "standard deviation. If the common value of groups is the mean, this "
            "measure is 0."
        ),
        formula="100 * |mean(x'_j) - mean(x_j)| / s_j, mean over attributes",
        unit="%",
        reference=MOMENTS_REFERENCE,
        judge=sampling_judge(small=1.0),
    )
)
def mean_change(protected: MeasuredRelease) -> Score:
    """Return the change of each attribute's mean in per cent, weighted."""
    return mean_over_columns("means", protected, _mean_change, _standard_error)
