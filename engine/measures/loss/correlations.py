"""Change of correlations between attributes."""

from __future__ import annotations

import numpy as np

from engine.core.message import Message
from engine.measures.base import MeasureCost, MeasuredRelease, Score, measures
from engine.measures.before_after.numbers import (
    NO_NUMBERS,
    NumericChangeInfo,
    correlation_moments,
    jackknife_errors,
)
from engine.measures.judge import sampling_judge
from engine.measures.sources import MOMENTS_REFERENCE


@measures.register(
    NumericChangeInfo(
        id="correlations",
        title="Change of correlations",
        summary=(
            "The mean change of the correlations between attributes. Groups of "
            "similar records mostly strengthen correlations."
        ),
        formula="mean over i < j of |r(x'_i, x'_j) - r(x_i, x_j)|",
        reference=MOMENTS_REFERENCE,
        limits=(0.0, 2.0),
        judge=sampling_judge(small=0.01),
        effort=MeasureCost(microseconds=0.3),
    )
)
def correlation_change(protected: MeasuredRelease) -> Score:
    """Return the mean change of correlations, overall and by attribute.

    Over the records that have all numbers, weighted where records are. Attributes that
    were constant before have no correlations; one that became constant has none left,
    which counts as 0.
    """
    moments = correlation_moments(protected)
    p = len(moments.names)
    if p < 2:
        why = Message("There are no two numeric quasi-identifiers that vary.")
        note = why if p or protected.points.numeric.any() else NO_NUMBERS
        return Score("correlations", float("nan"), note=note)
    moved = np.abs(moments.after - moments.before)
    np.fill_diagonal(moved, 0.0)
    each = moved.sum(axis=0) / (p - 1)
    errors = jackknife_errors(moments.parts, np.asarray)
    np.fill_diagonal(errors, 0.0)
    by_column = errors.sum(axis=0) / (p - 1)
    return Score(
        "correlations",
        float(each.mean()),
        dict(zip(moments.names, each.tolist(), strict=True)),
        baseline=float(by_column.mean()),
        baseline_per_column=dict(zip(moments.names, by_column.tolist(), strict=True)),
    )
