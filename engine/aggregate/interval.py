"""The interval: from the group's smallest value to its largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo


@dataclass(frozen=True, eq=False)
class ColumnIntervals(CommonValues):
    """Ends and midpoints of groups' intervals; released as text if any has width.

    Attributes
    ----------
    values : ndarray of float64, shape (n_groups,)
        Midpoints.
    low, high : ndarray of float64, shape (n_groups,)
        Both ends are values of records.
    """

    numeric: ClassVar[bool] = False
    interval: ClassVar[bool] = True

    low: Values
    high: Values

    @property
    def ranges(self) -> tuple[Values, Values]:
        """Lower and upper ends of the intervals."""
        return self.low, self.high

    def group_texts(self, attribute: AttributeInfo) -> Sequence[str] | None:
        """Return each group's interval, such as [45, 52]; None if none has width."""
        if (self.low == self.high).all():
            return None
        return attribute.interval_text(self.low, self.high)


@aggregations.register(
    AggregationInfo(
        "interval",
        "Interval",
        "The range from the group's smallest value to its largest, as in [45, 52]. "
        "The values of all members lie in this range.",
        became="the interval that holds the group",
        shared="the interval of {columns}",
        common=ColumnIntervals,
    )
)
def group_intervals(grouped_column: GroupedAttribute) -> ColumnIntervals:
    """Return each group's interval in one column, with midpoints as numbers.

    Weights do not count.
    """
    low = np.full(grouped_column.n_groups, np.inf)
    high = np.full(grouped_column.n_groups, -np.inf)
    np.minimum.at(low, grouped_column.labels, grouped_column.values)
    np.maximum.at(high, grouped_column.labels, grouped_column.values)
    return ColumnIntervals(low + (high - low) / 2, low, high)
