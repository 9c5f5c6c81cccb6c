"""LB1 from its definition: one linear programme over all pairs of records."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog


def edge_cover_bound(X: NDArray[np.float64], k: int) -> float:
    """1/k times the cheapest fractional cover in which every record has k-1 pairs."""
    n = len(X)
    first, second = np.triu_indices(n, 1)
    d2 = ((X[first] - X[second]) ** 2).sum(axis=1)
    at = np.zeros((n, d2.size))
    at[first, np.arange(d2.size)] = at[second, np.arange(d2.size)] = 1.0
    solution = linprog(d2, A_ub=-at, b_ub=np.full(n, 1.0 - k), bounds=(0.0, 1.0))
    return float(solution.fun) / k


def certified(X: NDArray[np.float64], k: int, prices: NDArray[np.float64]) -> float:
    """What any prices u >= 0 prove: sum (k-1) u_i - sum max(0, u_i + u_j - d2_ij)."""
    total = (k - 1) * float(prices.sum())
    for i in range(len(X)):
        for j in range(i):
            d2 = float(((X[i] - X[j]) ** 2).sum())
            total -= max(0.0, float(prices[i] + prices[j]) - d2)
    return total / k
