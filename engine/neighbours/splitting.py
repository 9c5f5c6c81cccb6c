"""Split a table into blocks of near records, by medians of the widest attribute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.core.parallel import side_by_side
from engine.core.typing import Integers, Values
from engine.kernels.index.halving import halve

BRANCHES = 16
"""Parts after which each is split further on its own, side by side with the others."""

STAGE = Message("Splitting")


class Node(NamedTuple):
    """A run of records that still has to come into so many blocks."""

    start: int
    stop: int
    parts: int

    def sides(self) -> tuple[Node, ...]:
        """Return what comes before and after the median; shared out as by `halve`."""
        start, stop, parts = self
        if parts < 2:
            return (self,)
        half = parts // 2
        middle = start + (stop - start) * half // parts
        return Node(start, middle, half), Node(middle, stop, parts - half)


def split_evenly(X: Values, parts: int) -> tuple[Integers, Integers]:
    """Return the records ordered so that those of a block come one after another.

    The records are parted at the median of their widest attribute, each side at the
    median of its own, and so on. Of equal values those of lower record numbers go to
    the first side; of attributes equally wide the first decides.

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
    whole = Node(0, X.shape[0], parts)
    _halve(X, order, whole, deep=True)
    return order, _settle(order, [whole], parts)


def split_side_by_side(
    X: Values, parts: int, ctx: RunContext = SILENT
) -> tuple[Integers, Integers]:
    """Return the same as :func:`split_evenly`, with the work shared among threads."""
    order = np.arange(X.shape[0], dtype=np.int64)
    nodes, depth = [Node(0, X.shape[0], parts)], max(1, (parts - 1).bit_length())
    level = 0
    while len(nodes) < min(BRANCHES, parts):
        share = ctx.part(level / depth, (level + 1) / depth)
        _halve_all(X, order, nodes, False, share)
        nodes, level = [side for node in nodes for side in node.sides()], level + 1
    _halve_all(X, order, nodes, True, ctx.part(min(1.0, level / depth), 1.0))
    return order, _settle(order, nodes, parts)


def _halve_all(
    X: Values, order: Integers, nodes: list[Node], deep: bool, ctx: RunContext
) -> None:
    def task(number: int, inner: RunContext) -> None:
        inner.tick(0, 1, STAGE)
        _halve(X, order, nodes[number], deep)

    side_by_side(task, len(nodes), ctx, STAGE)


def _halve(X: Values, order: Integers, node: Node, deep: bool) -> None:
    X = X.view()
    X.flags.writeable = False  # one array type, so that kernels compile once
    low, high = np.empty(X.shape[1]), np.empty(X.shape[1])
    stack = np.empty((64, 3), dtype=np.int64)
    halve(X, order, *node, stack, low, high, deep)


def _settle(order: Integers, nodes: list[Node], parts: int) -> Integers:
    """Return the borders of all blocks; put the records of each in rising order."""
    while len(nodes) < parts:
        nodes = [side for node in nodes for side in node.sides()]
    for node in nodes:
        order[node.start : node.stop].sort()
    return np.array([0, *(node.stop for node in nodes)], dtype=np.int64)
