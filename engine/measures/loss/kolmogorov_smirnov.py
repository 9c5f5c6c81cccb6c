"""Kolmogorov-Smirnov distance: the widest gap between two distribution functions."""

from __future__ import annotations

import numpy as np

from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.distributions import steps
from engine.measures.numbers import Pair, mean_over_columns


def _distance(pair: Pair) -> float:
    return float(np.abs(steps(pair)[1]).max())


@measures.register(
    MeasureInfo(
        id="kolmogorov-smirnov",
        title="Kolmogorov-Smirnov distance",
        family="loss",
        summary=(
            "The largest difference between the shares of records below one and the "
            "same value before and after; 0 if an attribute's distribution is as it "
            "was."
        ),
        formula="max over t of |F_j(t) - F'_j(t)|, mean over attributes",
        direction="lower is better",
        unit="",
        reference="Massey 1951, https://doi.org/10.1080/01621459.1951.10500769",
        aliases=("ks",),
        limits=(0.0, 1.0),
        on_demand=True,
    )
)
def kolmogorov_smirnov(protected: Protected) -> Score:
    """Return the distance of each numeric attribute, weighted where records are."""
    return mean_over_columns("kolmogorov-smirnov", protected, _distance)
