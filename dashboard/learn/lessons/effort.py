"""How good is good enough: what more effort gains, and what no effort can."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dashboard.charts.lesson_inputs import Effort
from dashboard.i18n.text import BOUND_NAMES
from dashboard.learn.lessons.groups import loss, means, patients, standardised
from engine.bounds import (
    LowerBound,
    column_generation_bound,
    edge_cover_bound,
    nearest_bound,
)
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.pipeline.labels import partition

K = 5

STEPS = (0, 1, 500, 1_000)
"""Effort: 0 is MDAV, 1 its groups polished, more are steps of iterated search."""


def _points() -> Values:
    return standardised(patients())


@lru_cache(maxsize=1)
def bounds() -> dict[str, float]:
    """Return LB0, LB1 and LB2 in per cent, by name, weakest first."""
    X = _points()
    found: tuple[LowerBound, ...] = (
        nearest_bound(X, K),
        edge_cover_bound(X, K),
        column_generation_bound(X, K),
    )
    return {BOUND_NAMES[bound.kind]: bound.per_cent for bound in found}


def labels_after(steps: int) -> Labels:
    """Return the groups that some effort finds, shape (n_records,)."""
    X = _points()
    if steps < 2:
        return partition(X, K, "mdav", scaling="none", polish=steps == 1)
    return partition(X, K, "iterated", scaling="none", seconds=60.0, iterations=steps)


@lru_cache(maxsize=len(STEPS))
def after(steps: int) -> Effort:
    """Return what some effort reaches.

    Parameters
    ----------
    steps : int
        One of :data:`STEPS`.
    """
    X, labels = _points(), labels_after(steps)
    lost = loss(X, means(X, labels)[labels])
    return Effort(steps, lost, float(np.max(list(bounds().values()))))
