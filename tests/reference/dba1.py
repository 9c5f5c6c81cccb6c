"""Naive DBA-1: the k-neighbourhood with the smallest SSE, again and again."""

from engine.core.typing import Values
from tests.reference.density import by_density
from tests.reference.steps import Labels


def dba1(X: Values, k: int) -> Labels:
    """Smallest SSE first; leftovers to the nearest centroid."""
    return by_density(X, k, sign=1.0)
