"""The loops of LB1: primal-dual steps on a graph, and the scan over all pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.blocks import Blocks
from engine.kernels.boxes import WIDTH

Values = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def primal_dual_steps(
    first: Integers,
    second: Integers,
    squared: Values,
    demand: float,
    unit: Values,
    degree: Values,
    steps: int,
    share: Values,
    price: Values,
    missing: Values,
    best: Values,
) -> None:
    """Take steps towards the cheapest fractional cover and the highest prices.

    The problem is min sum d2_e y_e with sum of y_e at each record >= demand and
    0 <= y_e <= 1; its dual is max demand * sum u_i - sum max(0, u_i + u_j - d2_e).
    Chambolle and Pock's iteration with a step size per record and per edge: the sizes
    1 / (unit_i + unit_j) and unit_i / degree_i meet its condition for any units, by
    the Cauchy-Schwarz inequality.

    Parameters
    ----------
    first, second : ndarray of int64, shape (n_edges,)
        Ends of the edges.
    squared : ndarray of float64, shape (n_edges,)
        Cost d2 of the edges.
    demand : float
        Edges that every record needs, k - 1.
    unit : ndarray of float64, shape (n_records,)
        Size of a price near each record, positive.
    degree : ndarray of float64, shape (n_records,)
        Edges at each record, positive.
    steps : int
    share : ndarray of float64, shape (n_edges,)
        y, continued from call to call.
    price : ndarray of float64, shape (n_records,)
        u, continued from call to call.
    missing : ndarray of float64, shape (n_records,)
        Scratch.
    best : ndarray of float64, shape (n_records + 1,)
        The prices with the highest dual value seen, and last that value.
    """
    n = price.shape[0]
    for _ in range(steps):
        value = 0.0
        for i in range(n):
            missing[i] = demand
            value += demand * price[i]
        for e in range(first.shape[0]):
            i, j = first[e], second[e]
            excess = price[i] + price[j] - squared[e]
            if excess > 0.0:
                value -= excess
            y = min(1.0, max(0.0, share[e] + excess / (unit[i] + unit[j])))
            ahead = 2.0 * y - share[e]
            share[e] = y
            missing[i] -= ahead
            missing[j] -= ahead
        if value > best[n]:
            best[:n] = price
            best[n] = value
        for i in range(n):
            price[i] = max(0.0, price[i] + unit[i] / degree[i] * missing[i])


@kernel
def _lowered(squared: float, slack: float, relative: float) -> float:
    """Return a squared distance that rounding has not made too large."""
    distance = max(0.0, np.sqrt(squared) - slack)
    return float(distance * distance * (1.0 - relative))


@kernel
def _widened(limit: float, slack: float) -> float:
    """Return a number above every squared distance that, lowered, is below `limit`."""
    return float((np.sqrt(limit) + slack) ** 2 * (1.0 + 1e-9))


@kernel
def _box_distance(blocks: Blocks, a: int, b: int, limit: float) -> float:
    """Return the squared distance of two boxes, or some number above `limit`."""
    total = 0.0
    for j in range(blocks.low.shape[0]):
        apart = max(
            blocks.low[j, a] - blocks.high[j, b], blocks.low[j, b] - blocks.high[j, a]
        )
        if apart > 0.0:
            total += apart * apart
            if total > limit:
                break
    return total


@kernel
def _to_box(blocks: Blocks, a: int, place: int, b: int) -> float:
    """Return the squared distance of one record from the box of block b."""
    total = 0.0
    for j in range(blocks.low.shape[0]):
        value = blocks.values[a, j, place]
        apart = max(blocks.low[j, b] - value, value - blocks.high[j, b])
        if apart > 0.0:
            total += apart * apart
    return total


@kernel
def _measure(blocks: Blocks, a: int, place: int, b: int, squared: Values) -> None:
    """Write the squared distances of one record from those of block b."""
    squared[:] = 0.0
    for j in range(blocks.low.shape[0]):
        value = blocks.values[a, j, place]
        row = blocks.values[b, j]
        for other in range(WIDTH):
            difference = row[other] - value
            squared[other] += difference * difference


@kernel
def excess_of_pairs(
    blocks: Blocks,
    price: Values,
    highest: Values,
    slack: float,
    relative: float,
    start: int,
    stop: int,
    pairs: Integers,
    found: int,
    totals: Values,
) -> int:
    """Add up max(0, u_i + u_j - d2_ij) over all pairs; d2 is lowered to be safe.

    Parameters
    ----------
    blocks : Blocks
        All records, none removed.
    price : ndarray of float64, shape (n_records,)
        u >= 0 in the order of the blocks.
    highest : ndarray of float64, shape (n_blocks,)
        Largest price in each block.
    slack, relative : float
        As in :class:`engine.bounds.base.Records`.
    start, stop : int
        Blocks whose pairs with themselves and later blocks are looked at.
    pairs : ndarray of int64, shape (capacity, 2)
        Receives pairs with an excess, as places in the order of the blocks.
    found : int
        Pairs received so far.
    totals : ndarray of float64, shape (n_blocks,)
        Receives the sum for each block from `start` to `stop`.

    Returns
    -------
    int
        Pairs received in all; those beyond the capacity are added up, not kept.
    """
    squared = np.empty(WIDTH)
    for a in range(start, stop):
        for b in range(a, blocks.count[2]):
            reach = _widened(highest[a] + highest[b], slack)
            if _box_distance(blocks, a, b, reach) > reach:
                continue
            here = 0.0
            for place in range(blocks.live[a]):
                i = a * WIDTH + place
                reach = _widened(price[i] + highest[b], slack)
                if _to_box(blocks, a, place, b) > reach:
                    continue
                _measure(blocks, a, place, b, squared)
                later = place + 1 if a == b else 0
                for other in range(later, blocks.live[b]):
                    if squared[other] > reach:
                        continue
                    j = b * WIDTH + other
                    excess = price[i] + price[j]
                    excess -= _lowered(squared[other], slack, relative)
                    if excess > 0.0:
                        here += excess
                        if found < pairs.shape[0]:
                            pairs[found, 0], pairs[found, 1] = i, j
                            found += 1
            totals[a] += here
    return found
