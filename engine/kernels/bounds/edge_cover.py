"""Kernel of bound LB1: primal-dual steps towards a fractional edge cover."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel


@kernel
def take_primal_dual_steps(
    first_end: Integers,
    second_end: Integers,
    sq_dists: Values,
    demand: float,
    unit: Values,
    degree: Values,
    n_steps: int,
    max_price: Values,
    share: Values,
    price: Values,
    missing: Values,
    best_prices: Values,
) -> None:
    """Take primal-dual steps towards the cheapest fractional cover, in place.

    The problem is min sum d2_e y_e with sum of y_e at each record >= demand and
    0 <= y_e <= 1; its dual is max demand * sum u_i - sum max(0, u_i + u_j - d2_e).
    Chambolle and Pock's iteration with a step size per record and per edge: the sizes
    1 / (unit_i + unit_j) and unit_i / degree_i meet its condition for any units, by
    the Cauchy-Schwarz inequality.

    Parameters
    ----------
    first_end, second_end : ndarray of int64, shape (n_edges,)
        Ends of the edges.
    sq_dists : ndarray of float64, shape (n_edges,)
        Cost d2 of the edges.
    demand : float
        Edges that every record needs, k - 1.
    unit : ndarray of float64, shape (n_records,)
        Size of a price near each record, positive.
    degree : ndarray of float64, shape (n_records,)
        Edges at each record, positive.
    n_steps : int
    max_price : ndarray of float64, shape (n_records,)
        Highest price that each record may have, at least 0.
    share : ndarray of float64, shape (n_edges,)
        y, continued from call to call.
    price : ndarray of float64, shape (n_records,)
        u, continued from call to call.
    missing : ndarray of float64, shape (n_records,)
        Scratch.
    best_prices : ndarray of float64, shape (n_records + 1,)
        The prices with the highest dual value seen, and last that value.
    """
    n = price.shape[0]
    for _ in range(n_steps):
        value = 0.0
        for i in range(n):
            missing[i] = demand
            value += demand * price[i]
        for e in range(first_end.shape[0]):
            i, j = first_end[e], second_end[e]
            excess = price[i] + price[j] - sq_dists[e]
            if excess > 0.0:
                value -= excess
            y = min(1.0, max(0.0, share[e] + excess / (unit[i] + unit[j])))
            ahead = 2.0 * y - share[e]
            share[e] = y
            missing[i] -= ahead
            missing[j] -= ahead
        if value > best_prices[n]:
            # A loop: an assignment of slices takes seconds to compile.
            for i in range(n):
                best_prices[i] = price[i]
            best_prices[n] = value
        for i in range(n):
            new_price = price[i] + unit[i] / degree[i] * missing[i]
            price[i] = min(max_price[i], max(0.0, new_price))
