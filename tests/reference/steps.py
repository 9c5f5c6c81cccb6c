"""Steps that several naive twins share, in plain numpy.

Columns and records are added one after the other, as a loop would: sums that tie
in one order of addition need not tie in another.
"""

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Values


def squared_distances(X: Values, point: Values) -> Values:
    """Squared Euclidean distance of every record to a point."""
    total = np.zeros(len(X))
    for j in range(X.shape[1]):
        total += (X[:, j] - point[j]) ** 2
    return total


def centroid(X: Values, members: list[int]) -> Values:
    """Mean of some records."""
    total = np.zeros(X.shape[1])
    for i in members:
        total += X[i]
    return total / len(members)


def nearest(X: Values, candidates: list[int], point: Values, count: int) -> list[int]:
    """The `count` candidates nearest to a point, ties to the lowest index."""
    distance = squared_distances(X, point)
    return sorted(candidates, key=lambda i: (distance[i], i))[:count]


def farthest(X: Values, candidates: list[int], point: Values) -> int:
    """The candidate farthest from a point, ties to the lowest index."""
    distance = squared_distances(X, point)
    return min(candidates, key=lambda i: (-distance[i], i))


def join_nearest_centroid(X: Values, groups: list[list[int]], left: list[int]) -> None:
    """Put each record left over into the group whose centroid is nearest.

    Centroids are those from before any record joined.
    """
    centroids = np.array([centroid(X, sorted(group)) for group in groups])
    for i in left:
        groups[int(np.argmin(squared_distances(centroids, X[i])))].append(i)


def labels_of(groups: list[list[int]], n_records: int) -> Labels:
    """Labels of groups in order of creation."""
    labels = np.full(n_records, -1, dtype=np.int64)
    for g, members in enumerate(groups):
        labels[members] = g
    return labels
