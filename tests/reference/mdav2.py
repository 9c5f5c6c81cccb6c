"""Naive MDAV-2: MDAV-1, then its second stage."""

from engine.core.typing import Values
from tests.reference.mdav1 import mdav1
from tests.reference.second_stage import fine_tune, widest_first
from tests.reference.steps import Labels


def mdav2(X: Values, k: int) -> Labels:
    """Dissolve by falling SSE, whatever size the others reach."""
    labels = mdav1(X, k)
    return fine_tune(X, labels, k, widest_first(X, labels))
