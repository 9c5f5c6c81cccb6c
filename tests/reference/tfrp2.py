"""Naive TFRP-2: TFRP-1, then its second stage."""

from engine.core.typing import Values
from tests.reference.second_stage import fine_tune, widest_first
from tests.reference.steps import Labels
from tests.reference.tfrp1 import tfrp1


def tfrp2(X: Values, k: int) -> Labels:
    """Dissolve by falling SSE, none to pass 4k-1 records; divide by TFRP-1."""
    labels = tfrp1(X, k)
    visits, largest = widest_first(X, labels), 4 * k - 1
    return fine_tune(X, labels, k, visits, largest, divide=tfrp1)
