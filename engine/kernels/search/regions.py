"""Random division of groups into regions searched in parallel; sum of groups' SSE."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers
from engine.kernels.compilation._jit import kernel
from engine.kernels.records.random_stream import State, draw_below, draw_bits
from engine.kernels.search.regroup import GroupState


class Regions(NamedTuple):
    """Assignment of groups to regions, with the records of each region.

    Attributes
    ----------
    of : ndarray of int64, shape (n_records,)
        Region of each record.
    records : ndarray of int64, shape (n_records,)
        Records, region after region, in the order in which they joined.
    starts : ndarray of int64, shape (n_regions + 1,)
        Where each region begins in `records`.
    unused : ndarray of int64, shape (n_regions, most_groups + 1)
        Unused group numbers of each region, as in :class:`GroupState`: as many as its
        records can ever need.
    states : ndarray of uint64, shape (n_regions,)
        Of each region's random numbers.
    queue : ndarray of int64, shape (capacity,)
        Scratch.
    """

    of: Integers
    records: Integers
    starts: Integers
    unused: Integers
    states: State
    queue: Integers


def allocate_regions(groups: GroupState, n_regions: int) -> Regions:
    """Return empty arrays for regions; :func:`divide_into_regions` fills them."""
    n, capacity = groups.labels.shape[0], groups.size.shape[0]
    k = (groups.members.shape[1] + 1) // 2
    # A region's last group may be one of 2k - 1 where one record was wanted.
    max_groups = (n // n_regions + 2 * k) // k
    return Regions(
        of=np.zeros(n, dtype=np.int64),
        records=np.zeros(n, dtype=np.int64),
        starts=np.zeros(n_regions + 1, dtype=np.int64),
        unused=np.zeros((n_regions, max_groups + 1), dtype=np.int64),
        states=np.zeros(n_regions, dtype=np.uint64),
        queue=np.zeros(capacity, dtype=np.int64),
    )


@kernel
def divide_into_regions(
    groups: GroupState, regions: Regions, k: int, state: State
) -> None:
    """Divide all groups into regions of nearly equal numbers of records, at random.

    A region begins with a random group and takes in the groups of the records that
    are near to its own, in the order in which these joined; where none is left it goes
    on with the group of the next record that has no region.

    Parameters
    ----------
    groups : GroupState
    regions : Regions
        Filled in.
    state : ndarray of uint64, shape (1,)
        Of the random numbers; moved on.
    """
    near, labels, size = groups.near, groups.labels, groups.size
    of, records, starts, queue = (
        regions.of,
        regions.records,
        regions.starts,
        regions.queue,
    )
    n, count = labels.shape[0], starts.shape[0] - 1
    of[:] = -1
    filled, free = 0, 0
    for r in range(count):
        starts[r] = filled
        region_stop = (r + 1) * n // count
        fresh = np.int64(draw_below(state, n))
        head, tail = 0, 0
        while filled < region_stop:
            if head == tail:
                while of[fresh] >= 0:
                    fresh = (fresh + 1) % n
                queue[tail] = labels[fresh]
                tail += 1
                filled = _join(groups, of, records, labels[fresh], r, filled)
            # All who are near to the group that has waited longest.
            g = queue[head]
            head += 1
            for place in range(size[g]):
                i = groups.members[g, place]
                for rank in range(near.shape[1]):
                    j = near[i, rank]
                    if of[j] < 0 and filled < region_stop:
                        queue[tail] = labels[j]
                        tail += 1
                        filled = _join(groups, of, records, labels[j], r, filled)
        # Of n records no more than n // k groups can be made; tail were.
        spare = (filled - starts[r]) // k - tail
        regions.unused[r, regions.unused.shape[1] - 1] = spare
        for place in range(spare):
            while size[free] > 0:
                free += 1
            # The lowest number is taken first.
            regions.unused[r, spare - 1 - place] = free
            free += 1
        regions.states[r] = draw_bits(state)
    starts[count] = filled


@kernel
def _join(
    groups: GroupState, of: Integers, records: Integers, g: int, r: int, filled: int
) -> int:
    """Put group g into region r; return how many records are in regions now."""
    for place in range(groups.size[g]):
        i = groups.members[g, place]
        of[i] = r
        records[filled] = i
        filled += 1
    return filled


@kernel
def sum_group_sse(groups: GroupState) -> float:
    """Return the sum of all groups' SSE, added in order of their numbers."""
    total = 0.0
    for g in range(groups.sse.shape[0]):
        total += groups.sse[g]
    return total
