"""The median: one extreme member does not move the whole group."""

from __future__ import annotations

import numpy as np

from engine.aggregate.base import AggregationInfo, Common, Members, aggregations


@aggregations.register(
    AggregationInfo(
        "median",
        "Median",
        "The group's middle value; robust against extremes.",
        became="the group's median",
        shared="the median of {columns}",
    )
)
def median(members: Members) -> Common:
    """Return the median of each group; weights do not count.

    A group of even size takes the mean of its two middle values.
    """
    values, labels = members.values, members.labels
    sizes = np.bincount(labels, minlength=members.n_groups)
    starts = np.cumsum(sizes) - sizes
    low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    column = values[np.lexsort((values, labels))]
    return Common(column[low] + (column[high] - column[low]) / 2)
