"""Naive runs along the first principal component."""

from engine.core.typing import Values
from tests.reference.projection import first_component
from tests.reference.simple import runs
from tests.reference.steps import Labels


def pca(X: Values, k: int) -> Labels:
    """Runs of k by the score."""
    score = first_component(X)
    return runs(sorted(range(len(X)), key=lambda i: (score[i], i)), k)
