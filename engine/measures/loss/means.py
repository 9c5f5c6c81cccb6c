"""Change of means: zero by construction where groups take their mean."""

from __future__ import annotations

import math

from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.judge import sampling
from engine.measures.numbers import SAMPLED, Pair, mean_over_columns
from engine.measures.sources import MOMENTS


def _changed(pair: Pair) -> float:
    difference = abs(float(pair.weights @ (pair.after - pair.before)))
    return 100.0 * pair.per_deviation(difference)


def _error(pair: Pair) -> float:
    return 100.0 / math.sqrt(pair.size) if pair.deviation else 0.0


@measures.register(
    MeasureInfo(
        id="means",
        title="Change of means",
        family="loss",
        summary=(
            "How far the attributes' means moved, in per cent of their standard "
            "deviation; groups that take their mean leave them as they are."
        ),
        formula="100 * |mean(x'_j) - mean(x_j)| / s_j, mean over attributes",
        direction="lower is better",
        unit="%",
        reference=MOMENTS,
        baseline=SAMPLED,
        judge=sampling(small=1.0, grave=30.0),
        on_demand=True,
    )
)
def means(protected: Protected) -> Score:
    """Return the change of means in per cent; weighted where records have weights."""
    return mean_over_columns("means", protected, _changed, _error)
