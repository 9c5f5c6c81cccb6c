"""The median: one extreme member does not move the whole group."""

from __future__ import annotations

from engine.aggregate.base import AggregationInfo, Common, Members, aggregations
from engine.core.statistics import group_medians


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
    return Common(group_medians(members.values, members.labels))
