"""Naive RMD; the robust distances themselves are tested alone."""

from engine.core.numerics.robust import estimate_robust_spread
from engine.core.typing import Values
from tests.reference.mcdpca import subsets_of
from tests.reference.steps import Labels, labels_of, nearest


def rmd(X: Values, k: int, seed: int) -> Labels:
    """The outermost record with its k-1 nearest, until fewer than 2k are left."""
    distance = estimate_robust_spread(X, subsets_of(seed)).sq_mahalanobis(X)
    pool, groups = list(range(len(X))), []
    while len(pool) >= 2 * k:
        first = min(pool, key=lambda i: (-distance[i], i))
        pool.remove(first)
        groups.append([first, *nearest(X, pool, X[first], k - 1)])
        pool = [i for i in pool if i not in groups[-1]]
    return labels_of([*groups, pool], len(X))
