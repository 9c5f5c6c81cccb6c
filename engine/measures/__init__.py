"""What a release costs and what it protects: one measure per file."""

from engine.measures.base import MeasureInfo, Protected, Score, measures

__all__ = ["MeasureInfo", "Protected", "Score", "measures"]
