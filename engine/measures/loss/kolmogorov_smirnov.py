"""Kolmogorov-Smirnov distance between distributions before and after."""

from __future__ import annotations

import math

import numpy as np

from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.before_after.distributions import distribution_steps
from engine.measures.before_after.numbers import (
    NumericChangeInfo,
    NumericPair,
    mean_over_columns,
)
from engine.measures.judge import sampling_judge


def _ks_distance(pair: NumericPair) -> float:
    return float(np.abs(distribution_steps(pair)[1]).max())


EXPECTED_SAMPLE_DISTANCE = math.sqrt(math.pi / 2) * math.log(2.0)
"""Mean of Kolmogorov's distribution: the distance of a sample, times root n."""


def _sampling_error(pair: NumericPair) -> float:
    return (
        min(EXPECTED_SAMPLE_DISTANCE / math.sqrt(pair.effective_size), 1.0)
        if pair.standard_deviation
        else 0.0
    )


@measures.register(
    NumericChangeInfo(
        id="kolmogorov-smirnov",
        title="Kolmogorov-Smirnov distance",
        summary=(
            "For each value, Coterie calculates the share of records with this "
            "value or a lower value, before and after protection. The measure is "
            "the largest difference between these two shares. 0 means that an "
            "attribute's distribution is unchanged."
        ),
        formula="max over t of |F_j(t) - F'_j(t)|, mean over attributes",
        reference="Massey 1951, https://doi.org/10.1080/01621459.1951.10500769",
        aliases=("ks",),
        limits=(0.0, 1.0),
        judge=sampling_judge(small=0.02),
    )
)
def kolmogorov_smirnov(protected: MeasuredRelease) -> Score:
    """Return the Kolmogorov-Smirnov distance of each numeric attribute, weighted."""
    return mean_over_columns(
        "kolmogorov-smirnov", protected, _ks_distance, _sampling_error
    )
