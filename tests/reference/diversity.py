"""Naive twins of l-diversity and t-closeness: one class after another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def classes(keys: Sequence[Hashable], values: Sequence[int]) -> list[list[int]]:
    found: dict[Hashable, list[int]] = {}
    for key, value in zip(keys, values, strict=True):
        found.setdefault(key, []).append(value)
    return list(found.values())


def distinct(keys: Sequence[Hashable], values: Sequence[int]) -> int:
    return min(len(set(each)) for each in classes(keys, values))


def entropy(keys: Sequence[Hashable], values: Sequence[int]) -> float:
    found = []
    for each in classes(keys, values):
        shares = [count / len(each) for count in Counter(each).values()]
        found.append(-sum(q * math.log(q) for q in shares))
    return math.exp(min(found))


def recursive(keys: Sequence[Hashable], values: Sequence[int], l: int) -> float:
    found = []
    for each in classes(keys, values):
        counts = sorted(Counter(each).values(), reverse=True)
        rest = sum(counts[l - 1 :])
        found.append(counts[0] / rest if rest else math.inf)
    return max(found)


def closeness(
    keys: Sequence[Hashable], values: Sequence[int], ordered: bool
) -> list[float]:
    domain, n, found = sorted(set(values)), len(values), []
    for each in classes(keys, values):
        apart = [each.count(v) / len(each) - values.count(v) / n for v in domain]
        if not ordered:
            found.append(sum(map(abs, apart)) / 2)
        elif len(domain) == 1:
            found.append(0.0)
        else:
            carried = [sum(apart[: i + 1]) for i in range(len(domain))]
            found.append(sum(map(abs, carried)) / (len(domain) - 1))
    return found
