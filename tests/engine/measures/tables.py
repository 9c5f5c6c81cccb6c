"""Small protected tables for tests of measures."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from engine.core.partition import Partition
from engine.measures import MeasuredRelease, Score, measures
from engine.points.base import Points


def replaced(
    before: np.ndarray,
    after: np.ndarray,
    weights: np.ndarray | None = None,
    missing: np.ndarray | None = None,
    labels: Sequence[int] | None = None,
) -> MeasuredRelease:
    """Return numbers before and after, whatever made them so."""
    before = np.asarray(before, dtype=float).reshape(len(before), -1)
    after = np.asarray(after, dtype=float).reshape(len(after), -1)
    points = Points.from_array(before)
    changes = {"weights": weights, "missing": missing}
    for name, value in changes.items():
        if value is not None:
            object.__setattr__(points, name, value)
    frame = pd.DataFrame(after, columns=list(points.names))
    if missing is not None:
        frame = frame.mask(missing)
    group_labels = np.zeros(len(before), int) if labels is None else np.asarray(labels)
    groups = Partition(pd.factorize(group_labels)[0], 2, guarantees_k=False)
    return MeasuredRelease(points, after, groups, frame, original=None)


def averaged(before: np.ndarray, labels: Sequence[int]) -> MeasuredRelease:
    """Return numbers of which each group has its mean."""
    before = np.asarray(before, dtype=float).reshape(len(before), -1)
    means = pd.DataFrame(before).groupby(np.asarray(labels)).transform("mean")
    return replaced(before, means.to_numpy(), labels=labels)


def score(name: str, protected: MeasuredRelease) -> Score:
    """Return one measure's figure."""
    return measures.get(name)(protected)
