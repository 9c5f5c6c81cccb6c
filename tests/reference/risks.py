"""Naive twins of risks: every record against every other, one attribute at a time."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

Row = tuple[Hashable, ...]
Levels = Callable[[int, int], Sequence[int]]


def best(
    n: int, fit: Callable[[int, int], float], released: Sequence[Row]
) -> tuple[list[float], list[float]]:
    """Chances to find the own record and the own class: the largest fit is taken."""
    records, groups = [], []
    for i in range(n):
        fits = [fit(i, c) for c in range(n)]
        top = max(fits)
        near = [c for c in range(n) if math.isclose(fits[c], top, abs_tol=1e-9)]
        same_class = [c for c in near if released[c] == released[i]]
        records.append(1 / len(near) if same_class else 0.0)
        groups.append(len(same_class) / len(near))
    return records, groups


def weights(n: int, p: int, levels: Levels) -> list[list[float]]:
    """Fellegi and Sunter's weights by EM over all pairs of records."""
    pairs = [tuple(levels(i, c)) for i in range(n) for c in range(n)]
    share = 1 / n
    u = [
        [
            max(sum(each[j] == level for each in pairs) / len(pairs), 1e-6)
            for level in range(4)
        ]
        for j in range(p)
    ]
    m = [[0.6, 0.3, 0.09, 0.01] for _ in range(p)]
    for _ in range(300):
        matches = []
        for each in pairs:
            yes, no = share, 1 - share
            for j, level in enumerate(each):
                yes, no = yes * m[j][level], no * u[j][level]
            matches.append(yes / (yes + no))
        total = sum(matches)
        m_estimates = [
            [
                max(
                    sum(
                        w
                        for w, each in zip(matches, pairs, strict=True)
                        if each[j] == level
                    )
                    / total,
                    1e-6,
                )
                for level in range(4)
            ]
            for j in range(p)
        ]
        moved = max(
            abs(a - b)
            for x, y in zip(m_estimates, m, strict=True)
            for a, b in zip(x, y, strict=True)
        )
        m = m_estimates
        if moved < 1e-6:
            break
    return [
        [math.log(a / b) for a, b in zip(x, y, strict=True)]
        for x, y in zip(m, u, strict=True)
    ]


def rank_interval(
    before: Sequence[float], after: Sequence[float], share: float
) -> float:
    """Share of originals between the released values some ranks below and above."""
    n, line, inside = len(after), sorted(after), 0
    for x, y in zip(before, after, strict=True):
        ranks = [rank for rank, value in enumerate(line) if value == y]
        middle = (ranks[0] + ranks[-1]) / 2
        near = [line[r] for r in range(n) if abs(r - middle) <= share * n] or [y]
        inside += min(*near, y) <= x <= max(*near, y)
    return inside / n


def guessed(keys: Sequence[Hashable], values: Sequence[float], near: float) -> int:
    """Records that the best guess of their class is right for."""
    total = 0
    for key in set(keys):
        class_values = [v for k, v in zip(keys, values, strict=True) if k == key]
        total += max(
            sum(0 <= w - v <= 2 * near for w in class_values) for v in class_values
        )
    return total


def inverse_population(f: int, p: float) -> float:
    """E[1 / F | f] term by term: P(F = h) = C(h - 1, f - 1) p^f (1 - p)^(h - f)."""
    total, chance, h = 0.0, p**f, f
    while chance > 1e-18 or h < f / p:
        total += chance / h
        chance *= (1 - p) * h / (h + 1 - f)
        h += 1
    return total


def shares(keys: Sequence[Hashable], weights: Sequence[float]) -> list[float]:
    """Expected 1 / people of each record's kind."""
    sizes, people = Counter(keys), Counter[Hashable]()
    for key, weight in zip(keys, weights, strict=True):
        people[key] += weight  # type: ignore[assignment]
    return [inverse_population(sizes[key], sizes[key] / people[key]) for key in keys]
