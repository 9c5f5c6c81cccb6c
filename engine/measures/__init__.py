"""Measures of loss, risk and privacy, one per module."""

from engine.measures.base import (
    MeasureCost,
    MeasuredRelease,
    MeasureInfo,
    Score,
    measures,
)

__all__ = ["MeasureCost", "MeasureInfo", "MeasuredRelease", "Score", "measures"]
