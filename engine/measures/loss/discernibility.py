"""Discernibility: sum of squared group sizes."""

from __future__ import annotations

import numpy as np

from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.judge import LOWER_BOUND_JUDGE


@measures.register(
    MeasureInfo(
        id="discernibility",
        title="Discernibility (DM)",
        family="loss",
        summary=(
            "For each record, Coterie takes the size of the record's group. The "
            "measure is the sum of these sizes. For example, a group of 5 records "
            "adds 5 times 5, so 25. If all groups have at least k records, the sum "
            "is at least n times k."
        ),
        formula="DM = sum over groups of size^2",
        reference="Bayardo & Agrawal 2005, https://doi.org/10.1109/ICDE.2005.42",
        aliases=("dm",),
        baseline="Groups of exactly k records: n times k.",
        judge=LOWER_BOUND_JUDGE,
    )
)
def discernibility_score(protected: MeasuredRelease) -> Score:
    """Return the sum of squared group sizes, without suppressed records."""
    partition = protected.partition
    return Score(
        "discernibility",
        float(np.square(partition.sizes).sum()),
        baseline=float(partition.n_records * partition.k),
    )
