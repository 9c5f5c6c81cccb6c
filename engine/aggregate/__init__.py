"""How a group's values become one value: one file for each way."""

from engine.aggregate.base import AggregationInfo, Common, Members, aggregations

__all__ = ["AggregationInfo", "Common", "Members", "aggregations"]
