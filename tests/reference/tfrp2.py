"""Naive TFRP-2: TFRP-1, then its second stage."""

from engine.core.typing import Values
from tests.reference.second_stage import fine_tune, widest_first
from tests.reference.steps import Labels
from tests.reference.tfrp1 import tfrp1


def tfrp2(X: Values, k: int) -> Labels:
    """Dissolve by falling SSE, none to pass 4k-1 records."""
    labels = tfrp1(X, k)
    return fine_tune(X, labels, k, widest_first(X, labels), largest=4 * k - 1)
