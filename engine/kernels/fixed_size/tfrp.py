"""TFRP loop: groups around the next remaining record of each of several orders."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.fixed_size.mdav import form_nearest_group
from engine.kernels.index.blocks import BlockIndex, should_go_on


@kernel
def form_groups_along_orders(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    record_orders: Integers,
    next_positions: Integers,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Form groups around orders' next records in turn; return the next group number.

    Parameters
    ----------
    blocks, min_remaining, max_values, next_group, labels, nearest, sq_dists
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`; each of its
        rounds is one group here.
    record_orders : ndarray of int64, shape (n_orders, n_records)
        Each row names every record once.
    next_positions : ndarray of int64, shape (n_orders,)
        No record remains before this place of each order; changed in place.

    Returns
    -------
    int
        Number of the next group; group g begins with order ``g % n_orders``.
    """
    limit = blocks.count[4] + max_values
    while should_go_on(blocks, min_remaining, limit):
        turn = next_group % record_orders.shape[0]
        while blocks.slot[record_orders[turn, next_positions[turn]]] < 0:
            next_positions[turn] += 1
        form_nearest_group(
            blocks,
            record_orders[turn, next_positions[turn]],
            next_group,
            labels,
            nearest,
            sq_dists,
        )
        next_group += 1
    return next_group
