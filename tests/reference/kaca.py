"""Naive KACA: all classes are compared anew whenever one of them is too small."""

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Values
from tests.reference.mixed import AttributeInfo, count, distance, numbers_of
from tests.reference.steps import labels_of


def kaca(X: Values, k: int, seed: int) -> Labels:
    """KACA of a matrix of numbers."""
    return kaca_mixed(numbers_of(X), k, seed)


def kaca_mixed(attributes: list[AttributeInfo], k: int, seed: int) -> Labels:
    """KACA of mixed records."""
    classes: list[list[int]] = []
    for i in range(count(attributes)):
        for members in classes:
            if distance(attributes, members, [i]) == 0:
                members.append(i)
                break
        else:
            classes.append([i])
    small = [members for members in classes if len(members) < k]
    draws = iter(np.random.default_rng(seed).random(len(small)))
    while small := sorted(members for members in classes if len(members) < k):
        chosen = small[int(next(draws) * len(small))]
        others = [members for members in classes if members is not chosen]
        distances = [distance(attributes, chosen, members) for members in others]
        lowest_distance = min(distances)
        nearest = min(
            (
                sorted(o)
                for o, d in zip(others, distances, strict=True)
                if d == lowest_distance
            )
        )
        nearest = next(members for members in others if sorted(members) == nearest)
        classes.remove(chosen)
        classes.remove(nearest)
        if len(chosen) + len(nearest) < 2 * k:
            classes.append(sorted(chosen + nearest))
        else:
            ranked = sorted(
                nearest, key=lambda i: (distance(attributes, chosen, [i]), i)
            )
            moved = ranked[: k - len(chosen)]
            classes.append(sorted(chosen + moved))
            classes.append([i for i in nearest if i not in moved])
    return labels_of(sorted(classes), count(attributes))
