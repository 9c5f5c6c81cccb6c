"""IL1s: mean change of values, in standard deviations of a difference."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.core.message import Message
from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.before_after.numbers import (
    NumericPair,
    mean_over_columns,
    numeric_pairs,
)
from engine.measures.judge import SINGLE_GROUP_JUDGE


def _to_the_mean(pair: NumericPair) -> float:
    distance = float(np.abs(pair.before - pair.before.mean()).mean())
    return pair.in_deviations(distance) / math.sqrt(2.0)


def _mean_change(pair: NumericPair) -> float:
    distance = float(np.abs(pair.before - pair.after).mean())
    return pair.in_deviations(distance) / math.sqrt(2.0)


@measures.register(
    MeasureInfo(
        id="il1s",
        title="IL1s",
        family="loss",
        summary=(
            "The mean change of the values. The unit is sqrt(2) * s_j, the typical "
            "difference between two random records. 0 means that nothing changed."
        ),
        formula="IL1s = mean over columns j of the mean of |x - x'| / (sqrt(2) * s_j)",
        reference=(
            "Mateo-Sanz, Sebé & Domingo-Ferrer 2004, "
            "https://doi.org/10.1007/978-3-540-25955-8_16"
        ),
        baseline="The change if every value becomes the mean of its column.",
        # Moves are roots of what IL counts.
        judge=replace(SINGLE_GROUP_JUDGE, good=0.5),
        on_demand=True,
    )
)
def il1s_score(protected: MeasuredRelease) -> Score:
    """Return IL1s, the mean over numeric columns of their cells' mean, unweighted.

    sdcMicro's ``dUtility(method = "IL1s")`` is the same without the division by the
    number of cells; the note says it. What its screen has shown under that name is
    another measure, the sum of the moves in per cent of the value.
    """
    score = mean_over_columns("il1s", protected, _mean_change, _to_the_mean)
    if not score.per_column:
        return score
    total = sum(
        _mean_change(pair) * pair.before.size for pair in numeric_pairs(protected)
    )
    note = Message(
        "The sum over all cells, as sdcMicro gives it, is {value:,.4f}.", value=total
    )
    return replace(score, note=note)
