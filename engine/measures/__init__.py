"""Measures of loss, risk and privacy: one measure per file."""

from engine.measures.base import (
    MeasureCost,
    MeasuredRelease,
    MeasureInfo,
    Score,
    measures,
)

__all__ = ["MeasureCost", "MeasureInfo", "MeasuredRelease", "Score", "measures"]
