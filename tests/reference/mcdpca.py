"""Naive runs along the first robust component; the spread itself is tested alone."""

import numpy as np

from engine.core.numerics.robust import estimate_robust_spread
from engine.core.typing import Values
from tests.reference.projection import weighted_sum
from tests.reference.simple import runs
from tests.reference.steps import Labels


def subsets_of(seed: int) -> int:
    """The first number that the seed draws."""
    return int(np.random.default_rng(seed).integers(2**31))


def mcdpca(X: Values, k: int, seed: int) -> Labels:
    """Runs of k by the score on the direction in which most records vary most."""
    covariance = estimate_robust_spread(X, subsets_of(seed)).covariance
    variances, directions = np.linalg.eigh(covariance)
    axis = directions[:, len(variances) - 1]
    size = np.abs(axis)
    largest = next(j for j in range(len(size)) if size[j] >= size.max() * (1 - 1e-9))
    score = weighted_sum(X, axis if axis[largest] > 0 else -axis)
    return runs(sorted(range(len(X)), key=lambda i: (score[i], i)), k)
