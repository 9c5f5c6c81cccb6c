"""Lesson on one column: optimal groups are runs of sorted values."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import sample_data
from dashboard.charts.lesson_inputs import GroupedLine
from dashboard.learn.lessons.groups import mean_per_group, released_loss_percent
from engine.pipeline.labels import partition

COLUMN_METHODS = ("mdav", "hansen-mukherjee")
"""Groups of exactly k, and the best ones."""

COLUMN_K = 3


@lru_cache(maxsize=len(COLUMN_METHODS))
def group_twelve_values(method: str) -> GroupedLine:
    """Return the twelve values in a method's groups of at least three."""
    column = sample_data.load("twelve_values").frame["value"]
    values = column.to_numpy(dtype=np.float64)[:, np.newaxis]
    labels = partition(values, COLUMN_K, method)
    centres = mean_per_group(values, labels)
    lost = released_loss_percent(values, centres[labels])
    return GroupedLine(values[:, 0], labels, centres[:, 0], lost)
