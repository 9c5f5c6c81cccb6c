"""Put near records side by side: halve them by their widest attribute, and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel

Values = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def split_in_halves(
    X: Values, order: Integers, n: int, width: int, bundle: int, stack: Integers
) -> None:
    """Order records so that each run of `width` is a leaf of a balanced k-d tree.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    order : ndarray of int64, shape (at least n,)
        Begins with the n records to be ordered; changed in place.
    n : int
    width : int
        Only the last run may be shorter.
    bundle : int
        Each sequence of so many runs is a subtree too.
    stack : ndarray of int64, shape (64, 2)
        Scratch.
    """
    stack[0, 0], stack[0, 1] = 0, (n + width - 1) // width
    depth = 1
    while depth > 0:
        depth -= 1
        first, last = stack[depth, 0], stack[depth, 1]
        if last - first < 2:
            continue
        start, stop = first * width, min(last * width, n)
        widest, spread = int(np.int64(0)), -1.0  # a bare 0 compiles twice
        for j in range(X.shape[1]):
            low = high = X[order[start], j]
            for i in range(start + 1, stop):
                low = min(low, X[order[i], j])
                high = max(high, X[order[i], j])
            if high - low > spread:
                widest, spread = j, high - low
        half = (last - first) // 2
        if last - first > bundle:
            half = (half + bundle - 1) // bundle * bundle
        middle = first + half
        _select(X, order, widest, start, stop - 1, middle * width)
        stack[depth, 1] = middle
        stack[depth + 1, 0], stack[depth + 1, 1] = middle, last
        depth += 2


@kernel
def _select(
    X: Values, order: Integers, j: int, left: int, right: int, place: int
) -> None:
    """Move smaller values of attribute j before `place`, larger ones after (Hoare)."""
    while left < right:
        quarter = (right - left) // 4  # values that rise and fall again are common
        a = X[order[left + quarter], j]
        b = X[order[left + 2 * quarter], j]
        c = X[order[left + 3 * quarter], j]
        pivot = max(min(a, b), min(max(a, b), c))
        i, h = left, right
        while i <= h:
            while X[order[i], j] < pivot:
                i += 1
            while X[order[h], j] > pivot:
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
