"""Naive sorting by one attribute."""

from engine.core.typing import Values
from tests.reference.simple import runs
from tests.reference.steps import Labels


def single(X: Values, k: int, varsort: int = 1) -> Labels:
    """Runs of k by the first attribute, or another one counted from 1."""
    return runs(sorted(range(len(X)), key=lambda i: (X[i, varsort - 1], i)), k)
