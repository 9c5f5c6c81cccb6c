"""Two safe files: who is found where several releases of the same people are had."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dashboard.charts.lesson_inputs import Opened
from dashboard.learn.lessons import groups
from engine.analysis.composition.determined import determined

SIZES = (3, 4, 5, 6, 7)
"""The k of each release, in the order in which they are handed out."""

COUNTS = range(1, len(SIZES) + 1)
"""Numbers of releases that can be had."""


@lru_cache(maxsize=len(SIZES))
def together(count: int) -> Opened:
    """Return whose values follow exactly from the first few releases.

    Parameters
    ----------
    count : int
        Releases, at least 1; each has MDAV's groups of its own k.
    """
    had = [groups.of_size(k) for k in SIZES[:count]]
    labels = np.array([one.labels for one in had])
    return Opened(had[0].plane, SIZES[:count], determined(labels))
