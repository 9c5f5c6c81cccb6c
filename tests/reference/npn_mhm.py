"""Naive NPN-MHM: both paths are walked and cut, and the better one kept."""

from itertools import combinations

import numpy as np

from engine.core.typing import Values
from tests.reference.path import best_cut, walk
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    labels_of,
    squared_distances,
)


def npn_mhm(X: Values, k: int) -> Labels:
    """From the record farthest from the mean, or an end of the widest pair."""
    everyone = list(range(len(X)))
    distance = np.array([squared_distances(X, x) for x in X])
    widest = min(combinations(everyone, 2), key=lambda pair: (-distance[pair], pair))
    starts = [farthest(X, everyone, centroid(X, everyone)), widest[0]]
    cuts = [best_cut(X, walk(X, first), k) for first in starts]
    runs, _ = min(cuts, key=lambda cut: cut[1])
    return labels_of(runs, len(X))
