"""The median: a group's middle value, or the mean of its two middle values."""

from __future__ import annotations

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.core.numerics.statistics import median_by_group


@aggregations.register(
    AggregationInfo(
        "median",
        "Median",
        "The group's middle value. Extreme values hardly change the median.",
        became="the group's median",
        shared="the median of {columns}",
    )
)
def group_medians(grouped_column: GroupedAttribute) -> CommonValues:
    """Return the median of each group, without record weights.

    A group of even size takes the mean of its two middle values.
    """
    return CommonValues(median_by_group(grouped_column.values, grouped_column.labels))
