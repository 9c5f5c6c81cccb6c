"""Naive MDAV for mixed records."""

from engine.core.partition import Labels
from engine.core.typing import Values
from tests.reference.mixed import (
    AttributeInfo,
    count,
    distance,
    from_middles,
    middles,
    numbers_of,
)
from tests.reference.steps import labels_of


def mdav_mixed(X: Values, k: int) -> Labels:
    """Mixed MDAV of a matrix of numbers."""
    return mdav_mixed_of(numbers_of(X), k)


def mdav_mixed_of(attributes: list[AttributeInfo], k: int) -> Labels:
    """Mixed MDAV."""
    pool = list(range(count(attributes)))
    groups: list[list[int]] = []

    def take(seed: int) -> None:
        pool.remove(seed)
        distances = {i: distance(attributes, [seed], [i]) for i in pool}
        near = sorted(pool, key=lambda i: (distances[i], i))[: k - 1]
        groups.append([seed, *near])
        pool[:] = [i for i in pool if i not in near]

    while len(pool) >= 2 * k:
        middle = middles(attributes, pool)
        r = min(pool, key=lambda i: (-from_middles(attributes, middle, i), i))
        take(r)
        take(min(pool, key=lambda i: (-distance(attributes, [r], [i]), i)))
    if len(pool) >= k:
        groups.append(pool)
    else:
        centres = [middles(attributes, sorted(group)) for group in groups]
        for i in pool:
            distances = [from_middles(attributes, centre, i) for centre in centres]
            groups[distances.index(min(distances))].append(i)
    return labels_of(groups, count(attributes))
