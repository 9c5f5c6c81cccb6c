"""The mode: the most frequent value of a group."""

from __future__ import annotations

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.core.numerics.statistics import mode_by_group
from engine.data.kinds import Kind


@aggregations.register(
    AggregationInfo(
        "mode",
        "Mode",
        "The group's most frequent value. If several values are equally frequent, the "
        "group gets the smallest of them.",
        became="the group's most frequent value",
        shared="the most frequent value of {columns}",
        kinds=frozenset(Kind),
    )
)
def group_modes(grouped_column: GroupedAttribute) -> CommonValues:
    """Return the mode of each group; if tied, the smallest value or the first leaf.

    Weights do not count.
    """
    return CommonValues(mode_by_group(grouped_column.values, grouped_column.labels))
