"""V-MDAV loop: groups around extreme records, extended by near records."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex, remove_from_blocks, write_nearest


@kernel
def _sq_dist_to_nearest(
    blocks: BlockIndex, i: int, near: Integers, squared: Values
) -> float:
    """Return the squared distance of a remaining record to its nearest other."""
    d_out = np.inf
    if blocks.count[0] > 1:
        write_nearest(blocks, blocks.X[i], near[:2], squared[:2])
        for place in range(2):
            if near[place] != i:  # both are not where two others equal i
                d_out = min(d_out, squared[place])
    return d_out


@kernel
def _extend_group(
    blocks: BlockIndex,
    gain: float,
    group: int,
    labels: Integers,
    members: Integers,
    size: int,
    beside: Integers,
    beside_squared: Values,
    near: Integers,
    squared: Values,
) -> int:
    """Let one record join the group if it is near enough; return the group's size.

    `beside` holds the remaining record nearest to each member, -1 where that is not
    known, and `beside_squared` their squared distances.
    """
    closest = -1
    for place in range(size):
        if beside[place] < 0 or blocks.slot[beside[place]] < 0:
            write_nearest(blocks, blocks.X[members[place]], near[:1], squared[:1])
            beside[place], beside_squared[place] = near[0], squared[0]
        d, x = beside_squared[place], beside[place]
        if (
            closest < 0
            or d < beside_squared[closest]
            or (d == beside_squared[closest] and x < beside[closest])
        ):
            closest = place
    x, d_in = beside[closest], beside_squared[closest]
    d_out = _sq_dist_to_nearest(blocks, x, near, squared)
    if not d_in < gain * gain * d_out:
        return size
    remove_from_blocks(blocks, x)
    labels[x] = group
    members[size] = x
    beside[size] = -1
    return size + 1


@kernel
def form_extended_groups(
    blocks: BlockIndex,
    min_remaining: int,
    max_groups: int,
    next_group: int,
    labels: Integers,
    order: Integers,
    position: Integers,
    gain: float,
    members: Integers,
    beside: Integers,
    beside_squared: Values,
    near: Integers,
    squared: Values,
) -> int:
    """Form groups of k to 2k - 1 around extreme records; return the next number.

    Parameters
    ----------
    blocks : BlockIndex
    min_remaining : int
        Go on while so many records remain: k.
    max_groups : int
        Stop after so many groups, so that the caller can report progress.
    next_group : int
        Number of the next group.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the group for its members.
    order : ndarray of int64, shape (n_records,)
        All records, the farthest from the centroid of the file first.
    position : ndarray of int64, shape (1,)
        How much of `order` is used up; kept between calls, starts with 0.
    gain : float
        A record joins where d_in < gain * d_out.
    members, beside, beside_squared : ndarray, shape (2 * k,)
        Scratch: int64, int64 and float64.
    near, squared : ndarray of int64 and float64, shape (max(2, k - 1),)
        Scratch.

    Returns
    -------
    int
        Number of the next group.
    """
    k = min_remaining
    for _ in range(max_groups):
        if blocks.count[0] < k:
            break
        while blocks.slot[order[position[0]]] < 0:
            position[0] += 1
        seed = order[position[0]]
        remove_from_blocks(blocks, seed)
        labels[seed] = next_group
        members[0] = seed
        write_nearest(blocks, blocks.X[seed], near[: k - 1], squared[: k - 1])
        for place in range(1, k):
            members[place] = near[place - 1]
            remove_from_blocks(blocks, members[place])
            labels[members[place]] = next_group
        beside[:k] = -1
        size = k
        while size < 2 * k - 1 and blocks.count[0] > 0 and gain > 0:
            extended = _extend_group(
                blocks,
                gain,
                next_group,
                labels,
                members,
                size,
                beside,
                beside_squared,
                near,
                squared,
            )
            if extended == size:
                break
            size = extended
        next_group += 1
    return next_group
