"""Naive DBA-1: the k-neighbourhood with the smallest SSE, again and again."""

from tests.reference.density import by_density
from tests.reference.steps import Labels, Values


def dba1(X: Values, k: int) -> Labels:
    """Smallest SSE first; leftovers to the nearest centroid."""
    return by_density(X, k, sign=1.0)
