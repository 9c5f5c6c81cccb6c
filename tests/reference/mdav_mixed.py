"""Naive MDAV for mixed records."""

from __future__ import annotations

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
    left = list(range(count(attributes)))
    groups: list[list[int]] = []

    def take(seed: int) -> None:
        left.remove(seed)
        away = {i: distance(attributes, [seed], [i]) for i in left}
        near = sorted(left, key=lambda i: (away[i], i))[: k - 1]
        groups.append([seed, *near])
        left[:] = [i for i in left if i not in near]

    while len(left) >= 2 * k:
        middle = middles(attributes, left)
        r = min(left, key=lambda i: (-from_middles(attributes, middle, i), i))
        take(r)
        take(min(left, key=lambda i: (-distance(attributes, [r], [i]), i)))
    if len(left) >= k:
        groups.append(left)
    else:
        centres = [middles(attributes, sorted(group)) for group in groups]
        for i in left:
            away = [from_middles(attributes, centre, i) for centre in centres]
            groups[away.index(min(away))].append(i)
    return labels_of(groups, count(attributes))
