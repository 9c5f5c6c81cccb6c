"""The m nearest so far, as a heap with the farthest of them first."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel


@kernel
def replace_first(found: Integers, squared: Values, i: int, d: float) -> None:
    """Put a record in the place of the farthest, and mend the heap.

    Parameters
    ----------
    found : ndarray of int64, shape (m,)
        Records, ordered as a heap by distance, then number; changed in place.
    squared : ndarray of float64, shape (m,)
        Their squared distances; changed in place.
    i : int
        The new record, nearer than the first.
    d : float
        Its squared distance.
    """
    place, size = 0, found.size
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            squared[right] > squared[child]
            or (squared[right] == squared[child] and found[right] > found[child])
        ):
            child = right
        if d > squared[child] or (d == squared[child] and i > found[child]):
            break
        found[place], squared[place] = found[child], squared[child]
        place = child
    found[place], squared[place] = i, d
