"""V-MDAV loop: groups around extreme records, extended by near records."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex, remove_from_blocks, should_go_on
from engine.kernels.index.queries import write_nearest


@kernel
def _sq_dist_to_nearest(
    blocks: BlockIndex, i: int, nearest: Integers, sq_dists: Values
) -> float:
    """Return the squared distance of a remaining record to its nearest other."""
    d_out = np.inf
    if blocks.count[0] > 1:
        write_nearest(blocks, blocks.X[i], nearest[:2], sq_dists[:2])
        for place in range(2):
            if nearest[place] != i:  # both are not where two others equal i
                d_out = min(d_out, sq_dists[place])
    return d_out


@kernel
def _extend_group(
    blocks: BlockIndex,
    gain: float,
    group: int,
    labels: Integers,
    members: Integers,
    size: int,
    outside: Integers,
    outside_sq_dists: Values,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Let one record join the group if it is near enough; return the group's size.

    `outside` holds the remaining record nearest to each member, -1 where that is not
    known, and `outside_sq_dists` their squared distances.
    """
    closest = -1
    for place in range(size):
        if outside[place] < 0 or blocks.slot[outside[place]] < 0:
            write_nearest(blocks, blocks.X[members[place]], nearest[:1], sq_dists[:1])
            outside[place], outside_sq_dists[place] = nearest[0], sq_dists[0]
        d, x = outside_sq_dists[place], outside[place]
        if (
            closest < 0
            or d < outside_sq_dists[closest]
            or (d == outside_sq_dists[closest] and x < outside[closest])
        ):
            closest = place
    x, d_in = outside[closest], outside_sq_dists[closest]
    d_out = _sq_dist_to_nearest(blocks, x, nearest, sq_dists)
    if not d_in < gain * gain * d_out:
        return size
    remove_from_blocks(blocks, x)
    labels[x] = group
    members[size] = x
    outside[size] = -1
    return size + 1


@kernel
def form_extended_groups(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    order: Integers,
    position: Integers,
    gain_factor: float,
    members: Integers,
    outside: Integers,
    outside_sq_dists: Values,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Form groups of k to 2k - 1 around extreme records; return next group number.

    Parameters
    ----------
    min_remaining, max_values, next_group, labels
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`, by groups
        instead of rounds; `min_remaining` is k.
    order : ndarray of int64, shape (n_records,)
        All records, the farthest from the centroid of the file first.
    position : ndarray of int64, shape (1,)
        How much of `order` is used up, 0 at first; changed in place.
    gain_factor : float
        A record joins where d_in < gain_factor * d_out.
    members, outside, outside_sq_dists : ndarray, shape (2 * k,)
        Scratch: int64, int64 and float64.
    nearest, sq_dists : ndarray of int64 and float64, shape (max(2, k - 1),)
        Scratch.
    """
    k = min_remaining
    limit = blocks.count[4] + max_values
    while should_go_on(blocks, k, limit):
        while blocks.slot[order[position[0]]] < 0:
            position[0] += 1
        seed = order[position[0]]
        remove_from_blocks(blocks, seed)
        labels[seed] = next_group
        members[0] = seed
        write_nearest(blocks, blocks.X[seed], nearest[: k - 1], sq_dists[: k - 1])
        for place in range(1, k):
            members[place] = nearest[place - 1]
            remove_from_blocks(blocks, members[place])
            labels[members[place]] = next_group
        outside[:k] = -1
        size = k
        while size < 2 * k - 1 and blocks.count[0] > 0 and gain_factor > 0:
            extended = _extend_group(
                blocks,
                gain_factor,
                next_group,
                labels,
                members,
                size,
                outside,
                outside_sq_dists,
                nearest,
                sq_dists,
            )
            if extended == size:
                break
            size = extended
        next_group += 1
    return next_group
