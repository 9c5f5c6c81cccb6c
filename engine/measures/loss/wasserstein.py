"""Wasserstein distance: how far values have to be carried to be as they were."""

from __future__ import annotations

import math

import numpy as np

from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.distributions import steps
from engine.measures.judge import sampling
from engine.measures.numbers import SAMPLED, Pair, mean_over_columns


def _distance(pair: Pair) -> float:
    points, apart = steps(pair)
    return pair.per_deviation(float(np.abs(apart[:-1]) @ np.diff(points)))


def _error(pair: Pair) -> float:
    """Return the distance to expect of a sample, its shares normal around F."""
    points, places = np.unique(pair.before, return_inverse=True)
    below = np.cumsum(np.bincount(places.reshape(-1), pair.weights))[:-1]
    error = np.sqrt(np.clip(below * (1.0 - below), 0.0, None) / pair.size)
    return pair.per_deviation(math.sqrt(2 / math.pi) * float(error @ np.diff(points)))


@measures.register(
    MeasureInfo(
        id="wasserstein",
        title="Wasserstein distance",
        family="loss",
        summary=(
            "How far an attribute's values have to be carried, on average and in "
            "standard deviations, to have their old distribution again."
        ),
        formula="integral of |F_j(t) - F'_j(t)| dt / s_j, mean over attributes",
        direction="lower is better",
        unit="",
        reference="Panaretos & Zemel 2019, "
        "https://doi.org/10.1146/annurev-statistics-030718-104938",
        baseline=SAMPLED,
        judge=sampling(small=0.02, grave=0.3),
        on_demand=True,
    )
)
def wasserstein(protected: Protected) -> Score:
    """Return the distance of each numeric attribute, weighted where records are."""
    return mean_over_columns("wasserstein", protected, _distance, _error)
