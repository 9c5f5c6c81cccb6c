"""Naive twins of l-diversity and t-closeness: one class after another."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def classes(keys: Sequence[Hashable], values: Sequence[int]) -> list[list[int]]:
    values_by_key: dict[Hashable, list[int]] = {}
    for key, value in zip(keys, values, strict=True):
        values_by_key.setdefault(key, []).append(value)
    return list(values_by_key.values())


def distinct(keys: Sequence[Hashable], values: Sequence[int]) -> int:
    return min(len(set(each)) for each in classes(keys, values))


def entropy(keys: Sequence[Hashable], values: Sequence[int]) -> float:
    entropies = []
    for each in classes(keys, values):
        shares = [count / len(each) for count in Counter(each).values()]
        entropies.append(-sum(q * math.log(q) for q in shares))
    return math.exp(min(entropies))


def recursive(keys: Sequence[Hashable], values: Sequence[int], l: int) -> float:
    ratios = []
    for each in classes(keys, values):
        counts = sorted(Counter(each).values(), reverse=True)
        rest = sum(counts[l - 1 :])
        ratios.append(counts[0] / rest if rest else math.inf)
    return max(ratios)


def closeness(
    keys: Sequence[Hashable], values: Sequence[int], ordered: bool
) -> list[float]:
    domain, n, distances = sorted(set(values)), len(values), []
    for each in classes(keys, values):
        differences = [each.count(v) / len(each) - values.count(v) / n for v in domain]
        if not ordered:
            distances.append(sum(map(abs, differences)) / 2)
        elif len(domain) == 1:
            distances.append(0.0)
        else:
            carried = [sum(differences[: i + 1]) for i in range(len(domain))]
            distances.append(sum(map(abs, carried)) / (len(domain) - 1))
    return distances
