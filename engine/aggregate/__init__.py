"""Aggregations: compute one common value per group, one module per kind."""

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)

__all__ = ["AggregationInfo", "CommonValues", "GroupedAttribute", "aggregations"]
