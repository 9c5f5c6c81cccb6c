"""Naive blocked method: blocks and regions as lists, one after the other."""

import numpy as np

from engine.core.typing import Values
from tests.reference.mdav import mdav
from tests.reference.refined import refine
from tests.reference.steps import Labels, centroid, labels_of

PARAMETERS = {"block_size": 8, "together": 2}
"""What the comparison runs with: blocks of 1,500 records would leave but one."""


def split(X: Values, records: list[int], parts: int) -> list[list[int]]:
    """Part records at the median of their widest attribute, then either side."""
    if parts < 2:
        return [sorted(records)]
    widest = int(np.argmax(np.ptp(X[records], axis=0)))
    ranked = sorted(records, key=lambda i: (X[i, widest], i))
    half = parts // 2
    middle = len(ranked) * half // parts
    return split(X, ranked[:middle], half) + split(X, ranked[middle:], parts - half)


def turned(X: Values, turn: int) -> Values:
    """Attributes two by two, turned by 45 degrees; other pairs each turn."""
    p = X.shape[1]
    turned_values = X.copy()
    along = [(j - turn + 1) % p for j in range(p)]
    for a, b in zip(along[::2], along[1::2], strict=False):
        turned_values[:, a], turned_values[:, b] = X[:, a] + X[:, b], X[:, a] - X[:, b]
    return turned_values


def members(records: list[int], labels: Labels) -> list[list[int]]:
    """The records of each group, from labels of these records."""
    return [
        [i for i, g in zip(records, labels, strict=True) if g == group]
        for group in range(max(labels) + 1)
    ]


def refined_groups(
    X: Values, groups: list[list[int]], k: int, deal: bool
) -> list[list[int]]:
    """The groups of one region after local search among themselves."""
    records = sorted(i for group in groups for i in group)
    if len(records) < 2 * k:
        return groups
    where = labels_of(groups, len(X))[records]
    return members(records, refine(X[records], where, k, deal))


def blocked(
    X: Values,
    k: int,
    block_size: int,
    together: int,
    passes: int = 2,
    deal: bool = False,
) -> Labels:
    """MDAV in blocks, refined region by region, then in other regions."""
    size = max(block_size, 4 * k)
    regions = max(1, len(X) // (size * together))
    groups: list[list[int]] = []
    for region in split(X, list(range(len(X))), regions):
        inside: list[list[int]] = []
        values = X[region]
        for block in split(values, list(range(len(region))), len(region) // size):
            records = [region[place] for place in block]
            labels = np.zeros(len(records), dtype=np.int64)
            if len(records) >= 2 * k:
                labels = mdav(X[records], k)
            inside += members(records, labels)
        groups += refined_groups(X, inside, k, deal)
    for turn in range(1, passes if regions > 1 else 1):
        means = np.array([centroid(X, group) for group in groups])
        parts = split(
            turned(means, turn),
            list(range(len(groups))),
            min(regions + turn, len(groups)),
        )
        groups = [
            group
            for part in parts
            for group in refined_groups(X, [groups[g] for g in part], k, deal)
        ]
    return labels_of(groups, len(X))
