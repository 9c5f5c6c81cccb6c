"""Certified lower bounds: no partition into groups of at least k loses less."""

from engine.bounds.nearest import LowerBound, nearest_bound

__all__ = ["LowerBound", "nearest_bound"]
