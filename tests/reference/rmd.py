"""Naive RMD; the robust distances themselves are tested alone."""

from __future__ import annotations

from engine.core.numerics.robust import estimate_robust_spread
from engine.core.typing import Values
from tests.reference.mcdpca import subsets_of
from tests.reference.steps import Labels, labels_of, nearest


def rmd(X: Values, k: int, seed: int) -> Labels:
    """The outermost record with its k-1 nearest, until fewer than 2k are left."""
    distance = estimate_robust_spread(X, subsets_of(seed)).sq_mahalanobis(X)
    left, groups = list(range(len(X))), []
    while len(left) >= 2 * k:
        first = min(left, key=lambda i: (-distance[i], i))
        left.remove(first)
        groups.append([first, *nearest(X, left, X[first], k - 1)])
        left = [i for i in left if i not in groups[-1]]
    return labels_of([*groups, left], len(X))
