"""Optimal groups by one integer programme over all groups there are."""

from math import comb

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from engine.core.typing import Values
from tests.reference.column_generation import all_groups
from tests.reference.column_generation import sse as sse_of
from tests.reference.iterated import iterated
from tests.reference.steps import Labels

PARAMETERS = {"iterations": 10, "gap": 0.0}
"""What the comparison runs with."""

NO_WORSE = True
"""The method's groups are compared by their SSE: optimal groups need not be unique."""

MOST = 3000
"""Groups of more records than this makes are too many for one programme."""


def optimal(X: Values, k: int, seed: int, iterations: int, gap: float) -> Labels:
    """The groups of least SSE; of larger tables those that the search begins with."""
    n = len(X)
    if sum(comb(n, s) for s in range(k, 2 * k)) > MOST:
        return iterated(X, k, seed, iterations)
    groups = all_groups(n, k, 2 * k - 1)
    holds = np.zeros((n, len(groups)))
    for column, group in enumerate(groups):
        holds[list(group), column] = 1.0
    costs = np.array([sse_of(X, group) for group in groups])
    solution = milp(
        costs / max(float(costs.mean()), 1e-300),
        integrality=np.ones(len(groups)),
        bounds=Bounds(0.0, 1.0),
        constraints=LinearConstraint(holds, 1.0, 1.0),
        options={"mip_rel_gap": 0.0},
    )
    labels = np.empty(n, dtype=np.int64)
    for number, column in enumerate(np.flatnonzero(solution.x > 0.5)):
        labels[list(groups[column])] = number
    return labels
