"""Naive twin of merging groups until they are p-sensitive and t-close."""

import numpy as np

from tests.reference.diversity import closeness


def different(group: list[int], codes: list[int], persons: list[int]) -> int:
    """Return the largest number of values of which each is of another person."""
    pairs = sorted({(codes[i], persons[i]) for i in group if persons[i] >= 0})

    def largest(value: int, used: frozenset[int]) -> int:
        if value > max(codes):
            return 0
        holders = {person for code, person in pairs if code == value} - used
        chosen = [1 + largest(value + 1, used | {person}) for person in holders]
        return max([largest(value + 1, used), *chosen])

    return largest(0, frozenset())


def shortfall(
    group: list[int],
    secrets: list[tuple[list[int], bool]],
    p: int,
    t: float,
    persons: list[int],
) -> tuple[int, float]:
    values, excess = 0, 0.0
    for codes, ordered in secrets:
        members = set(group)
        values += max(0, p - different(group, codes, persons))
        if t > 0:
            keys = [i in members for i in range(len(codes))]
            # The first class is that of the first record.
            distance = closeness(keys, codes, ordered)[0 if keys[0] else -1]
            excess += distance - t if distance - t > 1e-12 else 0.0
    return values, excess


def merged(
    X: np.ndarray,
    weights: np.ndarray,
    labels: list[int],
    strata: list[int],
    secrets: list[tuple[list[int], bool]],
    p: int,
    t: float,
    persons: list[int],
) -> list[int]:
    groups: dict[int, list[int]] = {}
    for record, label in enumerate(labels):
        groups.setdefault(label, []).append(record)

    def sse(group: list[int]) -> float:
        w = weights[group]
        centre = w @ X[group] / w.sum()
        return float(w @ np.square(X[group] - centre).sum(axis=1))

    while True:
        missing = {
            g: shortfall(each, secrets, p, t, persons) for g, each in groups.items()
        }
        pairs = []
        for a in groups:
            for b in groups:
                same = strata[groups[a][0]] == strata[groups[b][0]]
                if a == b or missing[a] == (0, 0.0) or not same:
                    continue
                both = groups[a] + groups[b]
                cost = sse(both) - sse(groups[a]) - sse(groups[b])
                values, excess = shortfall(both, secrets, p, t, persons)
                if missing[a][0]:
                    helps = values < missing[a][0]
                else:
                    helps = excess < missing[a][1] - 1e-12
                pairs.append((not helps, round(cost, 9), a, b))
        if not pairs:
            break
        _, _, a, b = min(pairs)
        low, high = sorted((a, b))
        groups[low] += groups.pop(high)
    new_labels = [0] * len(labels)
    for number, group in enumerate(sorted(groups)):
        for record in groups[group]:
            new_labels[record] = number
    return new_labels
