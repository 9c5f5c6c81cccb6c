"""Steps of bound LB1 for small tables in NumPy, without kernels and with equal bits."""

from __future__ import annotations

import numpy as np

from engine.bounds.base import CentredRecords
from engine.core.typing import Integers, Values

_ROWS_AT_ONCE = 64
"""Records whose distances from all are held at once: they fit into the cache."""


@np.errstate(over="ignore", invalid="ignore")  # as kernels do
def list_overpriced_pairs_of_few(records: CentredRecords, price: Values) -> Integers:
    """Return all pairs of records whose summed prices exceed their d2, each once.

    As :func:`engine.bounds.excess.safe_prices_and_overpriced_pairs` lists them.
    """
    X, n = records.X, records.n
    columns = np.ascontiguousarray(X.T)
    found = [np.empty((0, 2), dtype=np.int64)]
    places = np.arange(n)
    for start in range(0, n, _ROWS_AT_ONCE):
        rows = places[start : start + _ROWS_AT_ONCE, np.newaxis]
        apart = np.zeros((rows.size, n))
        for column in columns:
            difference = column[rows] - column
            apart += np.square(difference, out=difference)
        np.maximum(np.sqrt(apart, out=apart) - records.slack, 0.0, out=apart)
        limit = np.square(apart, out=apart) * (1.0 - records.relative)
        mine = price[rows]
        later = (price < mine) | ((price == mine) & (places > rows))
        row, other = np.nonzero((mine + price > limit) & later)
        found.append(np.column_stack((row + start, other)))
    return np.concatenate(found)


@np.errstate(over="ignore", invalid="ignore")  # as kernels do
def take_primal_dual_steps_of_few(
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
    _missing: Values,
    best_prices: Values,
) -> None:
    """Take primal-dual steps towards the cheapest fractional cover, in place.

    The steps and the parameters of
    :func:`engine.kernels.bounds.edge_cover.take_primal_dual_steps`.
    """
    n, edges = price.size, first_end.size
    steps, both = unit / degree, unit[first_end] + unit[second_end]
    # All sums are taken number by number in the kernel's order, as `cumsum` and
    # `bincount` do, but not `sum`.
    terms = np.empty(n + edges)
    taken = np.empty(n + 2 * edges)
    taken[:n] = demand
    takers = np.concatenate(
        (np.arange(n), np.column_stack((first_end, second_end)).reshape(-1))
    )
    excess = np.empty(edges)
    for _ in range(n_steps):
        np.add(price[first_end], price[second_end], out=excess)
        excess -= sq_dists
        np.multiply(price, demand, out=terms[:n])
        np.negative(np.maximum(excess, 0.0, out=terms[n:]), out=terms[n:])
        excess /= both
        excess += share
        y = np.minimum(np.maximum(excess, 0.0, out=excess), 1.0, out=excess)
        np.subtract(share, 2.0 * y, out=taken[n::2])
        taken[n + 1 :: 2] = taken[n::2]
        share[:] = y
        value = float(np.cumsum(terms, out=terms)[-1])
        if value > best_prices[n]:
            best_prices[:n], best_prices[n] = price, value
        missing = np.bincount(takers, weights=taken, minlength=n)
        price += steps * missing
        np.minimum(np.maximum(price, 0.0, out=price), max_price, out=price)
