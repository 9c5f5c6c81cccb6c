"""Naive MDAV + GA: naive MDAV with large groups, then the naive search in each."""

import numpy as np

from engine.core.typing import Values
from tests.reference.genetic import evolve
from tests.reference.mdav import mdav
from tests.reference.steps import Labels

PARAMETERS = {"block": 10, "population": 5, "generations": 4}
"""What the comparison runs with: small blocks, so that there are several."""


def mdav_genetic(
    X: Values, k: int, seed: int, block: int, population: int, generations: int
) -> Labels:
    """Groups of `block` records, at least 3k, each parted by its own population."""
    rng, size = np.random.default_rng(seed), max(block, 3 * k)
    large = mdav(X, size) if len(X) >= 2 * size else np.zeros(len(X), dtype=np.int64)
    labels = np.empty(len(X), dtype=np.int64)
    groups = 0
    for g in range(int(large.max()) + 1):
        members = np.flatnonzero(large == g)
        parts = evolve(X[members], k, rng, population, generations)
        labels[members] = groups + parts
        groups += int(parts.max()) + 1
    return labels
