"""Naive LDF-2: LDF, then the second stage of DBA-2."""

from engine.core.typing import Values
from tests.reference.ldf import ldf
from tests.reference.second_stage import fine_tune, last_first
from tests.reference.steps import Labels


def ldf2(X: Values, k: int) -> Labels:
    """Dissolve in reverse order of creation, whatever size the others reach."""
    labels = ldf(X, k)
    return fine_tune(X, labels, k, last_first(X, labels))
