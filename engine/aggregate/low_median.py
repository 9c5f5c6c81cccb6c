"""The low median: the middle value, or the smaller of two middle values."""

from __future__ import annotations

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.core.numerics.statistics import low_median_by_group


@aggregations.register(
    AggregationInfo(
        "low-median",
        "Low median",
        "The group's middle value. If there are two middle values, the group gets the "
        "smaller of them. The low median is always a value of the group.",
        became="the group's low median",
        shared="the low median of {columns}",
    )
)
def group_low_medians(grouped_column: GroupedAttribute) -> CommonValues:
    """Return the low median of each group, without record weights."""
    return CommonValues(
        low_median_by_group(grouped_column.values, grouped_column.labels)
    )
