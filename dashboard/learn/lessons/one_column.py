"""One column: the best groups are runs of its sorted values."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import sample_data
from dashboard.charts.lesson_inputs import Line
from dashboard.learn.lessons.groups import loss, means
from engine.pipeline.labels import partition

WAYS = ("mdav", "hansen-mukherjee")
"""Groups of exactly k, and the best ones."""

K = 3


@lru_cache(maxsize=len(WAYS))
def of_twelve(method: str) -> Line:
    """Return the twelve values in a method's groups of at least three."""
    column = sample_data.load("twelve_values").frame["value"]
    values = column.to_numpy(dtype=np.float64)[:, np.newaxis]
    labels = partition(values, K, method)
    centres = means(values, labels)
    lost = loss(values, centres[labels])
    return Line(values[:, 0], labels, centres[:, 0], lost)
