"""C_avg: mean group size in units of k."""

from __future__ import annotations

from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.judge import LOWER_BOUND_JUDGE


@measures.register(
    MeasureInfo(
        id="average-class-size",
        title="Average class size (C_avg)",
        family="loss",
        summary=(
            "The mean group size divided by k. If k holds, this quotient is at least 1."
        ),
        formula="C_avg = (n / groups) / k",
        reference="LeFevre et al. 2006, https://doi.org/10.1109/ICDE.2006.101",
        aliases=("c-avg",),
        baseline="Groups of exactly k records.",
        judge=LOWER_BOUND_JUDGE,
    )
)
def average_class_size(protected: MeasuredRelease) -> Score:
    """Return the mean group size in units of k."""
    partition = protected.partition
    mean = partition.n_records / partition.n_groups
    return Score("average-class-size", mean / partition.k, baseline=1.0)
