"""Bounded max-heap of the m nearest records."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel


@kernel
def replace_farthest(heap: Integers, squared: Values, i: int, d: float) -> None:
    """Replace the farthest record, and restore the heap.

    Parameters
    ----------
    heap : ndarray of int64, shape (m,)
        Records, ordered as a heap by distance, then number; changed in place.
    squared : ndarray of float64, shape (m,)
        Their squared distances; changed in place.
    i : int
        The new record, nearer than the first.
    d : float
        Its squared distance.
    """
    place, size = 0, heap.size
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            squared[right] > squared[child]
            or (squared[right] == squared[child] and heap[right] > heap[child])
        ):
            child = right
        if d > squared[child] or (d == squared[child] and i > heap[child]):
            break
        heap[place], squared[place] = heap[child], squared[child]
        place = child
    heap[place], squared[place] = i, d
