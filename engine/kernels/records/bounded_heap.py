"""Bounded max-heap of the m nearest records."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel


@kernel
def replace_farthest(
    heap: Integers, sq_dists: Values, new_record: int, new_sq_dist: float
) -> None:
    """Replace the farthest record of a heap in place, and restore its order.

    Parameters
    ----------
    heap : ndarray of int64, shape (m,)
        Records, ordered as a heap by distance, then number; changed in place.
    sq_dists : ndarray of float64, shape (m,)
        Their squared distances; changed in place.
    new_record : int
        The new record, nearer than the first, or as near and of a lower number.
    new_sq_dist : float
        Its squared distance.
    """
    place, size = 0, heap.size
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            sq_dists[right] > sq_dists[child]
            or (sq_dists[right] == sq_dists[child] and heap[right] > heap[child])
        ):
            child = right
        if new_sq_dist > sq_dists[child] or (
            new_sq_dist == sq_dists[child] and new_record > heap[child]
        ):
            break
        heap[place], sq_dists[place] = heap[child], sq_dists[child]
        place = child
    heap[place], sq_dists[place] = new_record, new_sq_dist
