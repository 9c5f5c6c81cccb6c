"""Balanced k-d tree order: halve records at medians of their widest attribute."""

from __future__ import annotations

import numpy as np

from engine.core.context import Look, look_at_nothing, steps_per_look
from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.compilation.small_tables import should_use_numpy


def kd_leaf_order(
    X: Values, leaf_size: int, leaves_per_branch: int = 1, look: Look = look_at_nothing
) -> Integers:
    """Return all records in the order of the leaves of a balanced k-d tree.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    leaf_size, leaves_per_branch : int
        As in :func:`halve_into_kd_leaves`.
    look : callable
        Called between steps.
    """
    X = X.view()
    X.flags.writeable = False  # one array type, so that the kernel compiles once
    order = np.arange(X.shape[0], dtype=np.int64)
    if should_use_numpy(halve_into_kd_leaves, *X.shape):
        n_leaves = -(-order.size // leaf_size)
        _sort_small_table(X, order, 0, n_leaves, leaf_size, leaves_per_branch)
        return order
    stack = np.empty((64, 2), dtype=np.int64)
    sort_into_kd_leaves(X, order, order.size, leaf_size, leaves_per_branch, stack, look)
    return order


def sort_into_kd_leaves(
    X: Values,
    order: Integers,
    n_records: int,
    leaf_size: int,
    leaves_per_branch: int,
    stack: Integers,
    look: Look = look_at_nothing,
) -> None:
    """Order records in place so that runs of `leaf_size` are leaves of a k-d tree.

    Parameters
    ----------
    X, order, n_records, leaf_size, leaves_per_branch, stack
        As in :func:`halve_into_kd_leaves`.
    look : callable
        Called between steps.
    """
    stack[0] = 0, -(-n_records // leaf_size)
    depth = 1
    while depth > 0:
        look()
        depth = halve_into_kd_leaves(
            X,
            order,
            n_records,
            leaf_size,
            leaves_per_branch,
            stack,
            depth,
            steps_per_look(),
        )


def _sort_small_table(
    X: Values,
    order: Integers,
    first: int,
    last: int,
    leaf_size: int,
    leaves_per_branch: int,
) -> None:
    """Order the records of some leaves as :func:`halve_into_kd_leaves`, without it."""
    if last - first < 2:
        return
    start, stop = first * leaf_size, min(last * leaf_size, order.size)
    widest = int(np.ptp(X[order[start:stop]], axis=0).argmax())
    half = (last - first) // 2
    if last - first > leaves_per_branch:
        half = -(-half // leaves_per_branch) * leaves_per_branch
    middle = first + half
    _select.__wrapped__(  # type: ignore[attr-defined]
        X, order, widest, start, stop - 1, middle * leaf_size
    )
    _sort_small_table(X, order, first, middle, leaf_size, leaves_per_branch)
    _sort_small_table(X, order, middle, last, leaf_size, leaves_per_branch)


@kernel
def halve_into_kd_leaves(
    X: Values,
    order: Integers,
    n_records: int,
    leaf_size: int,
    leaves_per_branch: int,
    stack: Integers,
    depth: int,
    max_values: int,
) -> int:
    """Halve runs of leaves in place until so many values have been read.

    At the end, runs of `leaf_size` records are the leaves of a k-d tree.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    order : ndarray of int64, shape (at least n_records,)
        Begins with the `n_records` records to be ordered; changed in place.
    n_records : int
    leaf_size : int
        Only the last run may be shorter.
    leaves_per_branch : int
        Each run of so many leaves is a subtree too.
    stack : ndarray of int64, shape (64, 2)
        The first and the last leaf of each run that is still to be halved.
    depth : int
        How many these are.
    max_values : int
        Values to read, about; a run is halved at once.

    Returns
    -------
    int
        How many are left; 0 once all are leaves.
    """
    values = int(np.int64(0))
    while depth > 0 and values < max_values:
        depth -= 1
        first, last = stack[depth, 0], stack[depth, 1]
        if last - first < 2:
            continue
        start, stop = first * leaf_size, min(last * leaf_size, n_records)
        # The selection reads each value of one attribute some three times.
        values += (stop - start) * (X.shape[1] + 3)
        widest, spread = int(np.int64(0)), -1.0  # a bare 0 compiles twice
        # The widest attribute of these records.
        for j in range(X.shape[1]):
            low = high = X[order[start], j]
            for i in range(start + 1, stop):
                low = min(low, X[order[i], j])
                high = max(high, X[order[i], j])
            if high - low > spread:
                widest, spread = j, high - low
        half = (last - first) // 2
        # Cut between bundles, so that each of them is a subtree.
        if last - first > leaves_per_branch:
            half = (
                (half + leaves_per_branch - 1) // leaves_per_branch * leaves_per_branch
            )
        middle = first + half
        _select(X, order, widest, start, stop - 1, middle * leaf_size)
        # Both halves wait; the upper one is next.
        stack[depth, 1] = middle
        stack[depth + 1, 0], stack[depth + 1, 1] = middle, last
        depth += 2
    return depth


@kernel
def _select(
    X: Values, order: Integers, j: int, left: int, right: int, place: int
) -> None:
    """Move smaller values of attribute j before `place`, larger ones after (Hoare).

    Of equal values, those of lower record numbers count as smaller.
    """
    # Hoare's quickselect: part by a pivot, go on in the part that holds the place.
    while left < right:
        i, h = left, right
        # The middle one of three records, by value, then by number.
        quarter = (right - left) // 4  # values that rise and fall again are common
        a = order[left + quarter]
        middle = order[left + 2 * quarter]
        c = order[left + 3 * quarter]
        if X[middle, j] < X[a, j] or (X[middle, j] == X[a, j] and middle < a):
            a, middle = middle, a
        if X[c, j] < X[middle, j] or (X[c, j] == X[middle, j] and c < middle):
            middle = c
            if X[middle, j] < X[a, j] or (X[middle, j] == X[a, j] and middle < a):
                middle = a
        pivot = X[middle, j]
        while i <= h:
            while X[order[i], j] < pivot or (
                X[order[i], j] == pivot and order[i] < middle
            ):
                i += 1
            while X[order[h], j] > pivot or (
                X[order[h], j] == pivot and order[h] > middle
            ):
                h -= 1
            if i <= h:
                order[i], order[h] = order[h], order[i]
                i += 1
                h -= 1
        if place <= h:
            right = h
        elif place >= i:
            left = i
        else:
            return


@kernel
def split_into_parts_at_medians(
    X: Values,
    order: Integers,
    start: int,
    stop: int,
    n_parts: int,
    stack: Integers,
    low: Values,
    high: Values,
    is_recursive: bool,
) -> None:
    """Split records in place by their widest attribute, once or recursively.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    order : ndarray of int64, shape (n_records,)
        Places `start` to ``stop - 1`` are put in order, in place.
    start, stop : int
    n_parts : int
        Parts of equal size, give or take one, to split into: ``n_parts // 2`` of them
        get the records of lowest values.
    stack : ndarray of int64, shape (64, 3)
        Scratch.
    low, high : ndarray of float64, shape (n_attributes,)
        Scratch.
    is_recursive : bool
        Whether both sides are split in the same way, down to single parts.
    """
    stack[0, 0], stack[0, 1], stack[0, 2] = start, stop, n_parts
    depth = 1
    while depth > 0:
        depth -= 1
        first, last, count = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if count < 2:
            continue
        # Sides get records in proportion to their parts.
        middle = first + (last - first) * (count // 2) // count
        j = _widest_attribute(X, order, first, last, low, high)
        _select(X, order, j, first, last - 1, middle)
        if is_recursive:
            stack[depth, 1], stack[depth, 2] = middle, count // 2
            stack[depth + 1, 0], stack[depth + 1, 1] = middle, last
            stack[depth + 1, 2] = count - count // 2
            depth += 2


@kernel
def _widest_attribute(
    X: Values, order: Integers, first: int, last: int, low: Values, high: Values
) -> int:
    """Return the attribute with the widest range, the first of equals."""
    p = X.shape[1]
    for j in range(p):
        low[j], high[j] = np.inf, -np.inf
    for place in range(first, last):
        i = order[place]
        for j in range(p):
            low[j] = min(low[j], X[i, j])
            high[j] = max(high[j], X[i, j])
    widest, spread = int(np.int64(0)), -1.0  # a bare 0 compiles twice
    for j in range(p):
        if high[j] - low[j] > spread:
            widest, spread = j, high[j] - low[j]
    return widest
