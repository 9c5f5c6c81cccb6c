"""Change of quantiles: whether the deciles are where they were."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values
from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.judge import sampling
from engine.measures.numbers import SAMPLED, Pair, mean_over_columns

DECILES = np.arange(1, 10) / 10
"""The quantiles compared."""


def _deciles(values: Values, weights: Values, at: Values = DECILES) -> Values:
    found: Values = np.quantile(values, at, method="inverted_cdf", weights=weights)
    return found


def _changed(pair: Pair) -> float:
    moved = _deciles(pair.after, pair.weights) - _deciles(pair.before, pair.weights)
    return 100.0 * pair.per_deviation(float(np.abs(moved).mean()))


def _error(pair: Pair) -> float:
    """Return the mean standard error of the deciles, by the values around them.

    The quantiles one error of a share below and above are one error of the quantile
    away: Woodruff 1952, https://doi.org/10.1080/01621459.1952.10483443.
    """
    error = np.sqrt(DECILES * (1.0 - DECILES) / pair.size)
    ends = np.clip(np.concatenate([DECILES - error, DECILES + error]), 0.0, 1.0)
    low, high = np.split(_deciles(pair.before, pair.weights, ends), 2)
    return 100.0 * pair.per_deviation(float((high - low).mean()) / 2)


@measures.register(
    MeasureInfo(
        id="quantiles",
        title="Change of quantiles",
        family="loss",
        summary=(
            "How far the deciles of the attributes moved on average, in per cent of "
            "the standard deviation."
        ),
        formula="100 * mean over deciles of |q(x'_j) - q(x_j)| / s_j, mean over j",
        direction="lower is better",
        unit="%",
        reference=(
            "Mateo-Sanz, Domingo-Ferrer & Sebé 2005, "
            "https://doi.org/10.1007/s10618-005-0011-9"
        ),
        baseline=SAMPLED,
        judge=sampling(small=2.0, grave=30.0),
        on_demand=True,
    )
)
def quantiles(protected: Protected) -> Score:
    """Return the change of the deciles in per cent; weighted where records are."""
    return mean_over_columns("quantiles", protected, _changed, _error)
