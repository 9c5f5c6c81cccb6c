"""Optimal univariate groups by the dynamic programme of Hansen and Mukherjee.

``F[j]``, the least SSE of the first j sorted values in groups of at least k, is the
minimum over i of ``F[i] + w(i, j)``, where w is the SSE of values i to j-1 and
k <= j - i <= 2k-1. Rows j are worked off in blocks of k. All groups that end in one
block begin before it and so cross its start: w is put together from the part before
and the part after, both measured outwards from the start, without differences of
large sums. For large k the argmin of each row is sought between those of rows already
known, as w has the concave Monge property: w(a,c) + w(b,d) <= w(a,d) + w(b,c) for
a <= b <= c <= d.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

MAX_DIRECT_K = 16
"""Below this k looking at all arcs of a row is faster than dividing the rows."""


class RunTable(NamedTuple):
    """Sorted values, the optimal SSE of each prefix, and scratch space.

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        Rising.
    least : ndarray of float64, shape (n + 1,)
        F: the least SSE of the first j values; infinite where k of them do not exist.
    begin : ndarray of int64, shape (n + 1,)
        Where the last group of the first j values begins.
    left_mean, left_sse : ndarray of float64, shape (2 * k,)
        Scratch: of the last a values before a block, less the last of them.
    right_mean, right_sse : ndarray of float64, shape (k,)
        Scratch: of the first b values of a block, less the last value before it.
    """

    values: Values
    least: Values
    begin: Integers
    left_mean: Values
    left_sse: Values
    right_mean: Values
    right_sse: Values


@kernel
def order_ties_by_record(values: Values, order: Integers) -> Integers:
    """Return a sort order with ties broken by record number.

    An unstable sort and this pass take less than half the time of a stable sort.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Rising.
    order : ndarray of int64, shape (n,)
        The record of each value, in any order where values are equal.
    """
    n = order.shape[0]
    first = np.empty(n, dtype=np.int64)  # place of the first value equal to a record's
    free = np.arange(n)  # next free place, by place of the first equal value
    # Where the equal values of each record begin.
    for place in range(n):
        if place > 0 and values[place] == values[place - 1]:
            first[order[place]] = first[order[place - 1]]
        else:
            first[order[place]] = place
    sorted_records = np.empty(n, dtype=np.int64)
    # By rising record number, each takes the next place among its equals.
    for record in range(n):
        place = free[first[record]]
        sorted_records[place] = record
        free[first[record]] += 1
    return sorted_records


def make_run_table(values: Values, k: int) -> RunTable:
    """Return the table of sorted values before the first :func:`extend_run_table`.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Rising, n >= k.
    """
    n = values.size
    least_sse = np.full(n + 1, np.inf)
    least_sse[0] = 0.0
    return RunTable(
        values=values,
        least=least_sse,
        begin=np.zeros(n + 1, dtype=np.int64),
        left_mean=np.empty(2 * k),
        left_sse=np.empty(2 * k),
        right_mean=np.empty(k),
        right_sse=np.empty(k),
    )


@kernel
def _measure(runs: RunTable, k: int, start: int, rows: int) -> None:
    """Measure the values before and after `start` outwards, by Welford's update."""
    values = runs.values
    origin = values[start - 1]
    mean = 0.0
    sse = 0.0
    # Leftwards: the last a values before `start`.
    for a in range(1, min(2 * k - 1, start) + 1):
        step = values[start - a] - origin - mean
        mean += step / a
        sse += step * (values[start - a] - origin - mean)
        runs.left_mean[a], runs.left_sse[a] = mean, sse
    mean = 0.0
    sse = 0.0
    runs.right_mean[0], runs.right_sse[0] = 0.0, 0.0
    # Rightwards: the first b values from it.
    for b in range(1, rows):
        step = values[start + b - 1] - origin - mean
        mean += step / b
        sse += step * (values[start + b - 1] - origin - mean)
        runs.right_mean[b], runs.right_sse[b] = mean, sse


@kernel
def _solve_row(runs: RunTable, start: int, b: int, low: int, high: int) -> None:
    """Find the least SSE of the first start + b values, last group begun in a range."""
    least_sse, left_mean, left_sse = runs.least, runs.left_mean, runs.left_sse
    mean = runs.right_mean[b]
    best = np.inf
    begin = high
    for i in range(low, high + 1):
        a = start - i
        # w(i, j) = left SSE + right SSE + ab / (a + b) * (difference of means)^2; the
        # right SSE is the same for all i and is added at the end.
        gap = left_mean[a] - mean
        cost = least_sse[i] + (left_sse[a] + (a * b) / (a + b) * (gap * gap))
        if cost < best:
            best = cost
            begin = i
    least_sse[start + b] = best + runs.right_sse[b]
    runs.begin[start + b] = begin


@kernel
def extend_run_table(runs: RunTable, k: int, start: int, stop: int) -> None:
    """Write the optimal SSE of each prefix of `start` to `stop` - 1 values.

    Parameters
    ----------
    runs : RunTable
        Filled for all j below `start`.
    start, stop : int
        `start` is a multiple of k, `stop` at most n + 1.
    """
    for first in range(start, stop, k):
        rows = min(k, stop - first)
        _measure(runs, k, first, rows)
        if first == k:  # fewer than 2k values are one group
            for b in range(rows):
                _solve_row(runs, first, b, 0, 0)
            continue
        if k < MAX_DIRECT_K:
            for b in range(rows):
                low = max(k, first + b - 2 * k + 1)
                _solve_row(runs, first, b, low, first + b - k)
            continue
        # Row 0 by all its arcs.
        low = max(k, first - 2 * k + 1)
        _solve_row(runs, first, 0, low, first - k)
        step = 1
        while 2 * step < rows:
            step *= 2
        while step > 0:
            # Rows between known ones: their argmin lies between the neighbours'
            # (Monge).
            for b in range(step, rows, 2 * step):
                low = max(runs.begin[first + b - step], first + b - 2 * k + 1)
                high = first + b - k
                if b + step < rows:
                    high = min(high, runs.begin[first + b + step])
                _solve_row(runs, first, b, low, high)
            step //= 2


@kernel
def write_run_labels(runs: RunTable, order: Integers, labels: Integers) -> None:
    """Write the group label of each record, numbered from low to high values.

    Parameters
    ----------
    runs : RunTable
        Filled for all j.
    order : ndarray of int64, shape (n,)
        The record of each sorted value.
    labels : ndarray of int64, shape (n,)
        Receives the labels.
    """
    group = 0
    # Count the groups along the shortest path back, then number them from its end.
    j = order.shape[0]
    while j > 0:
        j = runs.begin[j]
        group += 1
    j = order.shape[0]
    while j > 0:
        group -= 1
        for place in range(runs.begin[j], j):
            labels[order[place]] = group
        j = runs.begin[j]
