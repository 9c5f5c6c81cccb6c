"""Remaining records in small blocks: farthest, nearest and remove, without a full scan.

Records that lie together share a block of :data:`WIDTH`. A block keeps its values
attribute by attribute, so that the loop over its records runs in vector registers,
and knows a box around them, so that most blocks can be passed over.

Every comparison uses the squared distance summed in float64 in the order of the
attributes. Ties go to the lowest record number. A box bound adds the same terms in
the same order with every term moved the safe way; rounding keeps the order of such
sums, so the bound holds for the computed distances, not only for the true ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel

Values = NDArray[np.float64]
Integers = NDArray[np.int64]

WIDTH = 64
"""Records per block: long enough for vector registers, short enough for tight boxes."""

SAFE = 1.0 + 1e-12
"""Covers the rounding of a bound that goes through square roots."""

TINY = 1e-150
"""Covers the underflow of squares in such a bound."""


class Blocks(NamedTuple):
    """Records in blocks, and the scratch space of the queries.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        The values, read-only.
    values : ndarray of float64, shape (n_blocks, n_attributes, WIDTH)
        The remaining records' values; the live slots of a block come first.
    records : ndarray of int64, shape (n_blocks, WIDTH)
        Record number in each live slot.
    slot : ndarray of int64, shape (n_records,)
        ``block * WIDTH + place`` of each record, -1 once it is removed.
    live : ndarray of int64, shape (n_blocks,)
        Records left in each block.
    low, high : ndarray of float64, shape (n_attributes, n_blocks)
        Box around the live records of each block.
    origin : ndarray of float64, shape (n_attributes, n_blocks)
        Point from which the reach of a block was measured.
    reach : ndarray of float64, shape (n_blocks,)
        Largest distance from `origin`; records that left since may make it smaller.
    total : ndarray of float64, shape (2, n_attributes)
        Sum of the remaining records, and the rounding error of that sum.
    count : ndarray of int64, shape (3,)
        Records remaining, records when the blocks were arranged, blocks in use.
    bound : ndarray of float64, shape (n_blocks,)
        Scratch: what a query knows about each block before it looks inside.
    squared : ndarray of float64, shape (WIDTH,)
        Scratch: squared distances of one block's records.
    """

    X: Values
    values: Values
    records: Integers
    slot: Integers
    live: Integers
    low: Values
    high: Values
    origin: Values
    reach: Values
    total: Values
    count: Integers
    bound: Values
    squared: Values


def make_blocks(X: Values) -> Blocks:
    """Arrange all records of X in blocks.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous and finite; kept, not copied.
    """
    X = X.view()
    X.flags.writeable = False  # one array type, so kernels compile once
    n, p = X.shape
    m = -(-n // WIDTH)
    blocks = Blocks(
        X=X,
        values=np.zeros((m, p, WIDTH)),
        records=np.zeros((m, WIDTH), dtype=np.int64),
        slot=np.zeros(n, dtype=np.int64),
        live=np.zeros(m, dtype=np.int64),
        low=np.zeros((p, m)),
        high=np.zeros((p, m)),
        origin=np.zeros((p, m)),
        reach=np.zeros(m),
        total=np.zeros((2, p)),
        count=np.array([n, n, m], dtype=np.int64),
        bound=np.zeros(m),
        squared=np.zeros(WIDTH),
    )
    arrange(blocks)
    return blocks


@kernel
def arrange(blocks: Blocks) -> None:
    """Put the remaining records into as few blocks as they fill, near ones together."""
    X, records, slot, count = blocks.X, blocks.records, blocks.slot, blocks.count
    n, p = X.shape
    order = records.reshape(-1)
    remaining = 0
    blocks.total[:] = 0.0
    for i in range(n):
        if slot[i] >= 0:
            order[remaining] = i
            remaining += 1
            _add(blocks.total, X, i, 1.0)
    m = (remaining + WIDTH - 1) // WIDTH
    count[0] = count[1] = remaining
    count[2] = m
    _split(X, order, remaining, m)
    for b in range(m):
        blocks.live[b] = min(WIDTH, remaining - b * WIDTH)
        for place in range(blocks.live[b]):
            i = records[b, place]
            slot[i] = b * WIDTH + place
            for j in range(p):
                blocks.values[b, j, place] = X[i, j]
        _bound_box(blocks, b)
        blocks.reach[b] = np.inf


@kernel
def _add(total: Values, X: Values, i: int, sign: float) -> None:
    """Add (or take away) a record; ``total[1]`` collects the rounding errors (Knuth)."""
    for j in range(X.shape[1]):
        a = total[0, j]
        x = sign * X[i, j]
        s = a + x
        t = s - a
        total[0, j] = s
        total[1, j] += (a - (s - t)) + (x - t)


@kernel
def _split(X: Values, order: Integers, n: int, m: int) -> None:
    """Reorder records so that each run of WIDTH is one leaf of a balanced k-d tree."""
    p = X.shape[1]
    first = np.empty(64, dtype=np.int64)
    last = np.empty(64, dtype=np.int64)
    first[0], last[0] = 0, m
    depth = 1
    while depth > 0:
        depth -= 1
        b, e = first[depth], last[depth]
        if e - b < 2:
            continue
        start, stop = b * WIDTH, min(e * WIDTH, n)
        widest, spread = 0, -1.0
        for j in range(p):
            low = high = X[order[start], j]
            for i in range(start + 1, stop):
                low = min(low, X[order[i], j])
                high = max(high, X[order[i], j])
            if high - low > spread:
                widest, spread = j, high - low
        middle = (b + e) // 2
        _select(X, order, widest, start, stop - 1, middle * WIDTH)
        first[depth], last[depth] = b, middle
        first[depth + 1], last[depth + 1] = middle, e
        depth += 2


@kernel
def _select(
    X: Values, order: Integers, j: int, left: int, right: int, place: int
) -> None:
    """Move the smaller values of attribute j before `place`, the larger ones after."""
    while left < right:
        pivot = X[order[(left + right) // 2], j]
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


@kernel
def _bound_box(blocks: Blocks, b: int) -> None:
    """Draw the box around the live records of block b."""
    for j in range(blocks.values.shape[1]):
        low = high = blocks.values[b, j, 0]
        for place in range(1, blocks.live[b]):
            low = min(low, blocks.values[b, j, place])
            high = max(high, blocks.values[b, j, place])
        blocks.low[j, b] = low
        blocks.high[j, b] = high


@kernel
def remove(blocks: Blocks, i: int) -> None:
    """Take record i out: it is remaining no longer."""
    b, place = blocks.slot[i] // WIDTH, blocks.slot[i] % WIDTH
    last = blocks.live[b] - 1
    moved = blocks.records[b, last]
    blocks.records[b, place] = moved
    blocks.slot[moved] = b * WIDTH + place
    blocks.slot[i] = -1
    for j in range(blocks.values.shape[1]):
        blocks.values[b, j, place] = blocks.values[b, j, last]
    blocks.live[b] = last
    blocks.count[0] -= 1
    _add(blocks.total, blocks.X, i, -1.0)
    if last > 0:
        _bound_box(blocks, b)


@kernel
def centroid(blocks: Blocks, out: Values) -> None:
    """Write the mean of the remaining records into `out`, shape (n_attributes,)."""
    for j in range(out.shape[0]):
        out[j] = (blocks.total[0, j] + blocks.total[1, j]) / blocks.count[0]


@kernel
def _measure(blocks: Blocks, b: int, point: Values) -> None:
    """Write the squared distances of block b's records from a point."""
    squared = blocks.squared
    live = blocks.live[b]
    for place in range(live):
        squared[place] = 0.0
    for j in range(point.shape[0]):
        value = point[j]
        row = blocks.values[b, j]
        for place in range(live):
            difference = row[place] - value
            squared[place] += difference * difference


@kernel
def farthest(blocks: Blocks, point: Values) -> int:
    """Return the remaining record farthest from a point, shape (n_attributes,)."""
    best, record = -1.0, blocks.X.shape[0]
    for b in range(blocks.count[2]):
        _measure(blocks, b, point)
        for place in range(blocks.live[b]):
            d = blocks.squared[place]
            i = blocks.records[b, place]
            if d > best or (d == best and i < record):
                best, record = d, i
    return record


@kernel
def nearest(blocks: Blocks, point: Values, found: Integers, squared: Values) -> None:
    """Find the remaining records nearest to a point; there must be enough of them.

    Parameters
    ----------
    blocks : Blocks
    point : ndarray of float64, shape (n_attributes,)
    found : ndarray of int64, shape (m,)
        Receives the m nearest records, as a heap: the farthest of them first.
    squared : ndarray of float64, shape (m,)
        Receives their squared distances.
    """
    found[:] = blocks.X.shape[0]
    squared[:] = np.inf
    if found.size == 0:
        return
    for b in range(blocks.count[2]):
        _measure(blocks, b, point)
        for place in range(blocks.live[b]):
            d = blocks.squared[place]
            if d <= squared[0]:
                i = blocks.records[b, place]
                if d < squared[0] or i < found[0]:
                    _replace_worst(found, squared, i, d)


@kernel
def _replace_worst(found: Integers, squared: Values, i: int, d: float) -> None:
    """Put record i in the place of the heap's first, and mend the heap."""
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
