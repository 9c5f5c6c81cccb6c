"""Lesson on composition: records revealed by several releases together."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dashboard.charts.lesson_inputs import ComposedRelease
from dashboard.learn.lessons import groups
from engine.analysis.composition.determined import find_determined_records

RELEASE_SIZES = (3, 4, 5, 6, 7)
"""The k of each release, in the order in which they are handed out."""

RELEASE_COUNTS = range(1, len(RELEASE_SIZES) + 1)
"""Numbers of releases that can be had."""


@lru_cache(maxsize=len(RELEASE_SIZES))
def compose_first_releases(n_releases: int) -> ComposedRelease:
    """Return which records' values follow exactly from the first few releases.

    Parameters
    ----------
    n_releases : int
        Releases, at least 1; each has MDAV's groups of its own k.
    """
    had = [groups.group_patients(k) for k in RELEASE_SIZES[:n_releases]]
    labels = np.array([one.labels for one in had])
    return ComposedRelease(
        had[0].plane, RELEASE_SIZES[:n_releases], find_determined_records(labels)
    )
