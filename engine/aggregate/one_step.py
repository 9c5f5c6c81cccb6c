"""One-step M-estimator: a mean with extreme values pulled in."""

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
from engine.core.numerics.statistics import median_by_group

MAX_ROBUST_DEVIATIONS = 3.0 / 1.486
"""Robust deviations from the median beyond which values are clipped."""

MAD_CONSISTENCY_FACTOR = 1.4826
"""Makes the median absolute deviation of normal values their standard deviation."""


@aggregations.register(
    AggregationInfo(
        "one-step",
        "One-step estimator",
        "A mean with weaker extreme values. Each value has a distance from the group's "
        "median. The limit is about three times the median of these distances. Coterie "
        "reduces larger distances to the limit, and then calculates the mean.",
        became="the group's one-step estimate",
        shared="the one-step estimate of {columns}",
        ranks=False,
        aliases=("onestep",),
    )
)
def group_one_step_estimates(grouped_column: GroupedAttribute) -> CommonValues:
    """Return each group's mean of values clipped to some 2 robust deviations.

    sdcMicro's ``measure = "onestep"``: limits are median +- (3 / 1.486) times
    1.4826 MAD, the median absolute deviation.

    References
    ----------
    Huber, Ronchetti (2009), Robust Statistics, 6.7,
    https://doi.org/10.1002/9780470434697
    """
    values, labels = grouped_column.values, grouped_column.labels
    middle = median_by_group(values, labels)
    spread = MAD_CONSISTENCY_FACTOR * median_by_group(
        np.abs(values - middle[labels]), labels
    )
    low = middle - MAX_ROBUST_DEVIATIONS * spread
    high = middle + MAX_ROBUST_DEVIATIONS * spread
    drawn = np.clip(values, low[labels], high[labels])
    return group_means(replace(grouped_column, values=drawn))
