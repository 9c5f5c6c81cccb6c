"""Naive fuzzy microaggregation: clusters, memberships anew, a draw per record."""

import numpy as np

from engine.core.typing import Values
from tests.reference.fuzzy_clustering import cluster, memberships
from tests.reference.steps import Labels


def fuzzy(
    X: Values,
    k: int,
    seed: int,
    algorithm: str = "fcm",
    first: float = 1.1,
    second: float = 1.5,
) -> Labels:
    """Groups are the centres that somebody drew, in their order."""
    rng = np.random.default_rng(seed)
    V = cluster(X, len(X) // k, algorithm, first, rng)
    drawn = []
    for x, draw in zip(X, rng.random(len(X)), strict=True):
        u = memberships(x, V, algorithm, second)
        reached = np.flatnonzero((np.cumsum(u) > draw) & (u > 0.0))
        drawn.append(int(reached[0] if reached.size else np.flatnonzero(u)[-1]))
    used = sorted(set(drawn))
    return np.array([used.index(i) for i in drawn])
