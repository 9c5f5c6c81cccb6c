"""Naive pairwise systematic microaggregation: sorted anew in every round."""

from engine.core.typing import Values
from tests.reference.steps import Labels, centroid, labels_of, nearest


def pairwise_systematic(X: Values, k: int) -> Labels:
    """First and last record by SF, each grown to k by the cheapest record."""
    pool = list(range(len(X)))
    groups: list[list[int]] = []

    def grow(seed: int) -> None:
        group = [seed]
        while len(group) < k:
            (x,) = nearest(X, pool, centroid(X, group), 1)
            group.append(x)
            pool.remove(x)
        groups.append(group)

    while len(pool) >= 2 * k:
        # SF without the attributes' means, which lower every key by the same amount
        key = {i: sum(X[i].tolist()) for i in pool}
        first = min(pool, key=lambda i: (key[i], i))
        last = max(pool, key=lambda i: (key[i], i))
        pool.remove(first)
        if len(pool) + 1 >= 3 * k:
            pool.remove(last)
            grow(first)
            grow(last)
        else:
            grow(first)
    groups.append(pool)
    return labels_of(groups, len(X))
