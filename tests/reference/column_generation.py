"""LB2 from its definition: one linear programme over all groups of k to 2k-1."""

from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from engine.bounds.linear_programme.cuts import PricedCuts
from engine.core.typing import Values


def all_groups(n: int, smallest: int, largest: int) -> list[tuple[int, ...]]:
    """Every group of `smallest` to `largest` of n records."""
    sizes = range(smallest, min(largest, n) + 1)
    return [group for size in sizes for group in combinations(range(n), size)]


def sse(X: Values, group: tuple[int, ...]) -> float:
    """SSE from its definition."""
    members = X[list(group)]
    return float(((members - members.mean(axis=0)) ** 2).sum())


def gain(X: Values, group: tuple[int, ...], prices: Values, cuts: PricedCuts) -> float:
    """Prices of the members, less the SSE, less the cuts that the group meets."""
    paid = sum(
        price * (sum(i in group for i in records) // divisor)
        for (records, divisor), price in zip(cuts.sets, cuts.prices, strict=True)
    )
    return float(prices[list(group)].sum()) - sse(X, group) - paid


def column_generation_bound(X: Values, k: int) -> float:
    """The least SSE of groups of k to 2k-1 that may be taken in part."""
    groups = all_groups(len(X), k, 2 * k - 1)
    holds = np.zeros((len(X), len(groups)))
    for column, group in enumerate(groups):
        holds[list(group), column] = 1.0
    costs = [sse(X, group) for group in groups]
    solution = linprog(costs, A_eq=holds, b_eq=np.ones(len(X)))
    return float(solution.fun)
