"""Aggregation: how a group's values become one value, one file for each way."""

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)

__all__ = ["AggregationInfo", "CommonValues", "GroupedAttribute", "aggregations"]
