"""Loops of the readings: groups grown, leftovers placed, paths laid and cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import load_numba
from engine.kernels.records.distance import sq_dist
from engine.kernels.variable_size.path import write_optimal_path_sse

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a loop; the engine's own decorator is for its own folder."""
    return cast(F, load_numba().njit(nogil=True)(function))


@kernel
def mean_of(X: Values, member: Integers, mark: int, middle: Values) -> int:
    """Write the mean of the records that bear a mark; return how many do."""
    middle[:] = 0.0
    count = 0
    for i in range(X.shape[0]):
        if member[i] == mark:
            count += 1
            for j in range(X.shape[1]):
                middle[j] += X[i, j]
    for j in range(X.shape[1]):
        middle[j] /= max(count, 1)
    return count


@kernel
def farthest(X: Values, labels: Integers, point: Values) -> int:
    """Return the record without a group that is farthest from a point."""
    best, record = -1.0, -1
    for i in range(X.shape[0]):
        if labels[i] < 0:
            d = sq_dist(X[i], point)
            if d > best:
                best, record = d, i
    return record


@kernel
def grow(
    X: Values, labels: Integers, seed: int, group: int, k: int, by_mean: bool
) -> None:
    """Give a group its seed and k - 1 near records, by the seed or the growing mean."""
    labels[seed] = group
    middle = X[seed].copy()
    for size in range(1, k):
        best, record = np.inf, -1
        for i in range(X.shape[0]):
            if labels[i] < 0:
                d = sq_dist(X[i], middle)
                if d < best:
                    best, record = d, i
        labels[record] = group
        if by_mean:
            for j in range(X.shape[1]):
                middle[j] += (X[record, j] - middle[j]) / (size + 1)


@kernel
def seed_groups(
    X: Values,
    k: int,
    seeds: int,
    higher_first: bool,
    stop: int,
    by_mean: bool,
    labels: Integers,
) -> int:
    """Form groups while `stop` records remain; return how many.

    `seeds` is 0 for the two records farthest apart, 1 for the one farthest from the
    mean of those left and the one farthest from it, 2 for the former alone, 3 for that
    farthest from the mean of all, alone, 4 for that farthest from the sum of those left
    over the number of all, alone.
    """
    n, p = X.shape
    labels[:] = -1
    partner, reach = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
    middle = np.empty(p)
    mean_of(X, labels, -1, middle)
    groups, n_left = 0, n
    while n_left >= stop:
        second = -1
        if seeds == 0:
            while True:  # records leave, so that a farthest distance never grows
                best, first = -1.0, -1
                for i in range(n):
                    if labels[i] < 0 and reach[i] > best:
                        best, first = reach[i], i
                if partner[first] >= 0 and labels[partner[first]] < 0:
                    break
                partner[first] = farthest(X, labels, X[first])
                reach[first] = sq_dist(X[first], X[partner[first]])
            second = partner[first]
        else:
            if seeds != 3:
                mean_of(X, labels, -1, middle)
            if seeds == 4:
                middle *= n_left / n
            first = farthest(X, labels, middle)
            if seeds == 1:
                second = farthest(X, labels, X[first])
        if higher_first and second > first:
            first, second = second, first
        grow(X, labels, first, groups, k, by_mean)
        groups, n_left = groups + 1, n_left - k
        if second >= 0 and n_left >= k:
            if labels[second] >= 0:
                second = farthest(X, labels, X[first])
            grow(X, labels, second, groups, k, by_mean)
            groups, n_left = groups + 1, n_left - k
    return groups


@kernel
def place_leftovers(X: Values, labels: Integers, k: int, groups: int, way: int) -> int:
    """Place the records without a group; return how many groups there are.

    k or more form one (`way` below 4), or the farthest from their mean and its k - 1
    nearest do (4). Fewer join the nearest mean as it was (0, 4), as it has become (1),
    the nearest record's group (2) or the last group (3).
    """
    n, p = X.shape
    middle = np.empty(p)
    n_left = mean_of(X, labels, -1, middle)
    if n_left >= k or groups == 0:
        if way == 4 and n_left > k:
            grow(X, labels, farthest(X, labels, middle), groups, k, False)
        else:
            for i in range(n):
                if labels[i] < 0:
                    labels[i] = groups
        groups += 1
    before = labels.copy()
    means = np.empty((groups, p))
    for g in range(groups):
        mean_of(X, labels, g, means[g])
    for i in range(n):
        if before[i] >= 0:
            continue
        if way == 2:
            best = np.inf
            for other in range(n):
                if before[other] >= 0 and sq_dist(X[i], X[other]) < best:
                    best = sq_dist(X[i], X[other])
                    labels[i] = before[other]
            continue
        labels[i] = groups - 1
        if way != 3:
            best = np.inf
            for g in range(groups):
                d = sq_dist(X[i], means[g])
                if d < best:
                    best = d
                    labels[i] = g
        if way == 1:
            mean_of(X, labels, labels[i], means[labels[i]])
    return groups


@kernel
def loss_of(X: Values, labels: Integers) -> float:
    """Return information loss in per cent of groups numbered from 0."""
    n, p = X.shape
    groups = labels.max() + 1
    means, sizes, middle = np.zeros((groups, p)), np.zeros(groups), np.zeros(p)
    for i in range(n):
        sizes[labels[i]] += 1.0
        for j in range(p):
            means[labels[i], j] += X[i, j]
            middle[j] += X[i, j]
    sse = sst = 0.0
    for i in range(n):
        for j in range(p):
            sse += (X[i, j] - means[labels[i], j] / sizes[labels[i]]) ** 2
            sst += (X[i, j] - middle[j] / n) ** 2
    return 100.0 * sse / sst


@kernel
def walk(X: Values, first: int) -> Integers:
    """Return the path from a record to the nearest unvisited one, always."""
    n = X.shape[0]
    order = np.full(n, first, dtype=np.int64)
    visited = np.zeros(n, dtype=np.bool_)
    visited[first] = True
    for place in range(1, n):
        best = np.inf
        for i in range(n):
            if not visited[i]:
                d = sq_dist(X[i], X[order[place - 1]])
                if d < best:
                    best, order[place] = d, i
        visited[order[place]] = True
    return order


@kernel
def walk_by_group(
    X: Values, labels: Integers, middles: Values, chain: Integers
) -> Integers:
    """Return the path that goes to the nearest record of each group, group by group.

    In the first group it begins at the record farthest from the next group's mean.
    """
    n = X.shape[0]
    order = np.empty(n, dtype=np.int64)
    members = np.argsort(labels, kind="mergesort")
    ends = np.searchsorted(labels[members], np.arange(chain.size + 1))
    place = 0
    for step in range(chain.size):
        inside = members[ends[chain[step]] : ends[chain[step] + 1]].copy()
        for n_left in range(inside.size, 0, -1):
            best, pick = np.inf, 0
            for i in range(n_left):
                if place > 0:
                    d = sq_dist(X[inside[i]], X[order[place - 1]])
                else:
                    d = -sq_dist(X[inside[i]], middles[chain[min(1, chain.size - 1)]])
                if d < best:
                    best, pick = d, i
            order[place] = inside[pick]
            inside[pick : n_left - 1] = inside[pick + 1 : n_left].copy()
            place += 1
    return order


@kernel
def loss_of_cut(X: Values, order: Integers, k: int) -> float:
    """Return information loss in per cent of the best cut of a path."""
    n, p = X.shape
    best, run = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    middle = np.zeros(p)
    write_optimal_path_sse(X, order, k, 1, n + 1, best, run, middle)
    middle[:] = 0.0
    for i in range(n):
        for j in range(p):
            middle[j] += X[i, j] / n
    sst = 0.0
    for i in range(n):
        sst += sq_dist(X[i], middle)
    return 100.0 * best[n] / sst


@kernel
def systematic_groups(
    order: Integers,
    X: Values,
    k: int,
    by_mean: bool,
    is_reserved: bool,
    last_first: bool,
    labels: Integers,
) -> None:
    """Form pairwise systematic groups: from both ends of an order."""
    n = X.shape[0]
    labels[:] = -1
    n_left, groups = n, 0
    while n_left >= 2 * k:
        low, high = 0, n - 1
        while labels[order[low]] >= 0:
            low += 1
        while labels[order[high]] >= 0:
            high -= 1
        is_pair = n_left >= 3 * k
        first, last = order[low], order[high]
        if last_first and is_pair:
            first, last = last, first
        if is_pair and is_reserved:
            labels[last] = groups + 1
        grow(X, labels, first, groups, k, by_mean)
        groups, n_left = groups + 1, n_left - k
        if is_pair:
            if not is_reserved and labels[last] >= 0:
                low, high = 0, n - 1
                while labels[order[low]] >= 0:
                    low += 1
                while labels[order[high]] >= 0:
                    high -= 1
                last = order[low] if last_first else order[high]
            grow(X, labels, last, groups, k, by_mean)
            groups, n_left = groups + 1, n_left - k
    for i in range(n):
        if labels[i] < 0:
            labels[i] = groups


@kernel
def kth_distances(X: Values, k: int) -> Values:
    """Return each record's squared distance to the k-th nearest, itself the first."""
    n = X.shape[0]
    sq_distances = np.empty(n)
    near = np.empty(k)
    for i in range(n):
        near[:] = np.inf
        for j in range(n):
            d = sq_dist(X[i], X[j])
            place = k - 1
            if d < near[place]:
                while place > 0 and near[place - 1] > d:
                    near[place] = near[place - 1]
                    place -= 1
                near[place] = d
        sq_distances[i] = near[k - 1]
    return sq_distances


@kernel
def link_forest(
    X: Values, k: int, order: Integers, until_k: bool, target: Integers
) -> None:
    """Link the roots of trees below k records to the nearest record outside."""
    n = X.shape[0]
    tree, size = np.arange(n), np.ones(n, dtype=np.int64)
    has_changed = True
    while has_changed:
        has_changed = False
        for root in order:
            i = root
            while target[i] < 0 and size[tree[i]] < k:
                best, record = np.inf, -1
                for j in range(n):
                    if tree[j] != tree[i]:
                        d = sq_dist(X[i], X[j])
                        if d < best:
                            best, record = d, j
                target[i] = record
                old, new = tree[i], tree[record]
                for j in range(n):
                    if tree[j] == old:
                        tree[j] = new
                size[new] += size[old]
                has_changed = True
                if until_k:
                    while target[i] >= 0:
                        i = target[i]
