"""Naive individual ranking: each column is sorted, and every k values are a group."""

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels


def individual_ranking(X: Values, k: int) -> Labels:
    """Records that are in the same group in every column."""
    n = len(X)
    groups: list[list[int]] = [[] for _ in range(n)]
    for j in range(X.shape[1]):
        for rank, i in enumerate(sorted(range(n), key=lambda i: (X[i, j], i))):
            groups[i].append(min(rank // k, n // k - 1))
    classes = list(dict.fromkeys(map(tuple, groups)))
    return np.array(
        [classes.index(tuple(record_groups)) for record_groups in groups],
        dtype=np.int64,
    )
