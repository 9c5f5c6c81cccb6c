"""Split a table into blocks of near records, at medians of the widest attribute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.core.parallel import map_in_threads
from engine.core.typing import Integers, Values
from engine.kernels.index.halving import split_into_parts_at_medians

SERIAL_SPLIT_PARTS = 16
"""Parts from which on each is split to its end by one thread, beside the others."""

SPLITTING_STAGE = Message("Splitting")


class SplitRange(NamedTuple):
    """A range of records to split into a number of blocks."""

    start: int
    stop: int
    parts: int

    def half_ranges(self) -> tuple[SplitRange, ...]:
        """Return the ranges of the first and last half of the parts; itself if one."""
        start, stop, parts = self
        if parts < 2:
            return (self,)
        half = parts // 2
        middle = start + (stop - start) * half // parts
        return SplitRange(start, middle, half), SplitRange(middle, stop, parts - half)


def kd_tree_order(X: Values, parts: int) -> tuple[Integers, Integers]:
    """Return a permutation that sorts records into blocks, and the block offsets.

    The records are split at the median of their widest attribute (for an odd number of
    blocks, near it), each side in the same way, and so on. Of equal values those of
    lower record numbers go to the first side; of attributes equally wide the first
    decides.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    parts : int
        Blocks wanted, at most one per record. Where n / parts is s or more, every
        block has s records or more.

    Returns
    -------
    order : ndarray of int64, shape (n_records,)
        Record numbers, rising inside each block.
    borders : ndarray of int64, shape (parts + 1,)
        Block b is ``order[borders[b] : borders[b + 1]]``.
    """
    order = np.arange(X.shape[0], dtype=np.int64)
    whole = SplitRange(0, X.shape[0], parts)
    _halve(X, order, whole, deep=True)
    return order, _settle(order, [whole], parts)


def kd_tree_order_parallel(
    X: Values, parts: int, ctx: RunContext = SILENT
) -> tuple[Integers, Integers]:
    """Return the result of :func:`kd_tree_order`, computed in parallel threads."""
    order = np.arange(X.shape[0], dtype=np.int64)
    nodes, depth = [SplitRange(0, X.shape[0], parts)], max(1, (parts - 1).bit_length())
    level = 0
    while len(nodes) < min(SERIAL_SPLIT_PARTS, parts):
        share = ctx.subcontext(level / depth, (level + 1) / depth)
        _halve_all(X, order, nodes, False, share)
        nodes = [side for node in nodes for side in node.half_ranges()]
        level += 1
    _halve_all(X, order, nodes, True, ctx.subcontext(min(1.0, level / depth), 1.0))
    return order, _settle(order, nodes, parts)


def _halve_all(
    X: Values, order: Integers, nodes: list[SplitRange], deep: bool, ctx: RunContext
) -> None:
    def task(number: int, inner: RunContext) -> None:
        inner.tick(0, 1, SPLITTING_STAGE)
        _halve(X, order, nodes[number], deep)

    map_in_threads(task, len(nodes), ctx, SPLITTING_STAGE)


def _halve(X: Values, order: Integers, node: SplitRange, deep: bool) -> None:
    X = X.view()
    X.flags.writeable = False  # one array type, so that kernels compile once
    low, high = np.empty(X.shape[1]), np.empty(X.shape[1])
    stack = np.empty((64, 3), dtype=np.int64)
    split_into_parts_at_medians(X, order, *node, stack, low, high, deep)


def _settle(order: Integers, nodes: list[SplitRange], parts: int) -> Integers:
    """Return the borders of all blocks; put the records of each in rising order."""
    while len(nodes) < parts:
        nodes = [side for node in nodes for side in node.half_ranges()]
    for node in nodes:
        order[node.start : node.stop].sort()
    return np.array([0, *(node.stop for node in nodes)], dtype=np.int64)
