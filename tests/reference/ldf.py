"""Naive LDF: the k-neighbourhood with the largest SSE, again and again."""

from engine.core.typing import Values
from tests.reference.density import by_density
from tests.reference.steps import Labels


def ldf(X: Values, k: int) -> Labels:
    """Largest SSE first; leftovers to the nearest centroid."""
    return by_density(X, k, sign=-1.0)
