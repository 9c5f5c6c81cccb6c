"""The interval: from the group's smallest value to its largest."""

from __future__ import annotations

import numpy as np

from engine.aggregate.base import AggregationInfo, Common, Members, aggregations


@aggregations.register(
    AggregationInfo(
        "interval",
        "Interval",
        "From the group's smallest value to its largest, as in [45, 52]; nothing is "
        "said that is not true of every member.",
    )
)
def interval(members: Members) -> Common:
    """Return the interval of each group, and its midpoint as the number for it.

    Weights do not count.
    """
    low = np.full(members.n_groups, np.inf)
    high = np.full(members.n_groups, -np.inf)
    np.minimum.at(low, members.labels, members.values)
    np.maximum.at(high, members.labels, members.values)
    return Common(low + (high - low) / 2, low=low, high=high)
