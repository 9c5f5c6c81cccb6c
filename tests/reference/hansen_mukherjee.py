"""Naive Hansen-Mukherjee: every arc of the network, every cost from its definition."""

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels


def hansen_mukherjee(X: Values, k: int) -> Labels:
    """Shortest path over the sorted values of the only attribute."""
    order = np.argsort(X[:, 0], kind="stable")
    values = X[order, 0]
    n = len(values)
    lowest_costs = [0.0] + [np.inf] * n
    begin = [0] * (n + 1)
    for j in range(k, n + 1):
        for i in range(max(0, j - 2 * k + 1), j - k + 1):
            run = values[i:j]
            cost = lowest_costs[i] + float(((run - run.mean()) ** 2).sum())
            if cost < lowest_costs[j]:
                lowest_costs[j], begin[j] = cost, i
    ends = [n]
    while ends[-1] > 0:
        ends.append(begin[ends[-1]])
    labels = np.empty(n, dtype=np.int64)
    for g, (stop, start) in enumerate(zip(ends[-2::-1], ends[:0:-1], strict=True)):
        labels[order[start:stop]] = g
    return labels
