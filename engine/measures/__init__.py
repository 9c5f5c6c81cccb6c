"""What a release costs and what it protects: one measure per file."""

from engine.measures.base import Effort, MeasureInfo, Protected, Score, measures

__all__ = ["Effort", "MeasureInfo", "Protected", "Score", "measures"]
