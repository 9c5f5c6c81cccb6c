"""The trimmed mean, without at most a fifth of a group's values at either end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.aggregate.mean import group_means

TRIMMED_FRACTION_INVERSE = 5
"""One record of so many is left out at either end."""


@aggregations.register(
    AggregationInfo(
        "trimmed-mean",
        "Trimmed mean",
        "The average without the lowest and the highest fifth of the group's values. "
        "In a group of fewer than five records, the trimmed mean is the ordinary mean.",
        became="the group's trimmed mean",
        shared="the trimmed mean of {columns}",
        ranks=False,
        aliases=("trim",),
    )
)
def group_trimmed_means(grouped_column: GroupedAttribute) -> CommonValues:
    """Return each group's mean without floor(n / 5) values at either end.

    Weighted where records have weights, which do not say who is left out.

    References
    ----------
    Wilcox (2017), Introduction to Robust Estimation and Hypothesis Testing, 3.3,
    https://doi.org/10.1016/C2010-0-67044-1
    """
    values, labels = grouped_column.values, grouped_column.labels
    order = np.lexsort((values, labels))
    sizes = np.bincount(labels, minlength=grouped_column.n_groups)
    starts = np.cumsum(sizes) - sizes
    of = labels[order]
    rank, cut = np.arange(of.size) - starts[of], sizes[of] // TRIMMED_FRACTION_INVERSE
    inner = order[(rank >= cut) & (rank < sizes[of] - cut)]
    weights = None if grouped_column.weights is None else grouped_column.weights[inner]
    return group_means(
        replace(
            grouped_column, values=values[inner], labels=labels[inner], weights=weights
        )
    )
