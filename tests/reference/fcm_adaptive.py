"""Naive adaptive FCM: fewer and fuzzier clusters until each has k records."""

import numpy as np

from engine.core.typing import Values
from tests.reference.fuzzy_clustering import cluster, nearest_centre
from tests.reference.steps import Labels, labels_of


def divide(
    X: Values, members: list[int], k: int, rng: np.random.Generator
) -> list[list[int]]:
    """Groups of at least k: two or more if fuzzy clusters can be found."""
    c, m = len(members) // k, 1.05
    while len(members) >= 2 * k:
        centre = nearest_centre(X[members], cluster(X[members], c, "fcm", m, rng, 1e-3))
        groups = [
            [
                i
                for i, cluster_number in zip(members, centre, strict=True)
                if cluster_number == g
            ]
            for g in sorted(set(centre))
        ]
        if len(groups) > 1 and min(map(len, groups)) >= k:
            return groups
        if c == 2 and m == 3.0:
            break
        c, m = max(2, c // 2), min(3.0, 1.0 + (m - 1.0) * 1.25)
    return [members]


def fcm_adaptive(X: Values, k: int, seed: int) -> Labels:
    """Divide the records, then each group in the same way, the first one first."""
    rng = np.random.default_rng(seed)
    done: list[list[int]] = []
    waiting = [list(range(len(X)))]
    while waiting:
        members = waiting.pop(0)
        groups = divide(X, members, k, rng)
        if len(groups) == 1:
            done.append(members)
        else:
            waiting = groups + waiting
    return labels_of(done, len(X))
