"""Wasserstein distance between distributions before and after."""

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


def _wasserstein_distance(pair: NumericPair) -> float:
    points, differences = distribution_steps(pair)
    return pair.in_deviations(float(np.abs(differences[:-1]) @ np.diff(points)))


def _expected_sample_distance(pair: NumericPair) -> float:
    """Return the distance to expect of a sample, its shares normal around F."""
    points, places = np.unique(pair.before, return_inverse=True)
    below = np.cumsum(np.bincount(places, pair.weights))[:-1]
    error = np.sqrt(np.clip(below * (1.0 - below), 0.0, None) / pair.effective_size)
    return pair.in_deviations(math.sqrt(2 / math.pi) * float(error @ np.diff(points)))


@measures.register(
    NumericChangeInfo(
        id="wasserstein",
        title="Wasserstein distance",
        summary=(
            "Imagine that the released values of an attribute are moved until they "
            "have their original distribution again. The measure is the mean "
            "distance of the shortest such move, in standard deviations."
        ),
        formula="integral of |F_j(t) - F'_j(t)| dt / s_j, mean over attributes",
        reference="Panaretos & Zemel 2019, "
        "https://doi.org/10.1146/annurev-statistics-030718-104938",
        judge=sampling_judge(small=0.02),
    )
)
def wasserstein_distance(protected: MeasuredRelease) -> Score:
    """Return the Wasserstein distance of each numeric attribute, weighted."""
    return mean_over_columns(
        "wasserstein", protected, _wasserstein_distance, _expected_sample_distance
    )
