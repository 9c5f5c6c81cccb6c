"""The one-step estimator: a mean to which far values add no more than near ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.aggregate.base import AggregationInfo, Common, Members, aggregations
from engine.aggregate.mean import mean
from engine.core.statistics import group_medians

LIMIT = 3.0 / 1.486
"""Deviations from the median beyond which values are drawn in."""

CONSISTENT = 1.4826
"""Makes the median absolute deviation of normal values their standard deviation."""


@aggregations.register(
    AggregationInfo(
        "one-step",
        "One-step estimator",
        "The average after values that lie far from the group's median, by its median "
        "absolute deviation, have been drawn in to a limit.",
        became="the group's one-step estimate",
        shared="the one-step estimate of {columns}",
        ranks=False,
        aliases=("onestep",),
    )
)
def one_step(members: Members) -> Common:
    """Return the mean of each group, values beyond 2 robust deviations moved there.

    sdcMicro's ``measure = "onestep"``: limits are median +- (3 / 1.486) MAD.

    References
    ----------
    Huber, Ronchetti (2009), Robust Statistics, 6.7,
    https://doi.org/10.1002/9780470434697
    """
    values, labels = members.values, members.labels
    middle = group_medians(values, labels)
    spread = CONSISTENT * group_medians(np.abs(values - middle[labels]), labels)
    low, high = middle - LIMIT * spread, middle + LIMIT * spread
    drawn = np.clip(values, low[labels], high[labels])
    return mean(replace(members, values=drawn))
