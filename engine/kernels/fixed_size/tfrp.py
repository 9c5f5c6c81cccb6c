"""TFRP loop: groups around the extreme records of fixed orders, in turn."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.fixed_size.mdav import take_nearest_group
from engine.kernels.index.blocks import BlockIndex


@kernel
def groups_in_turn(
    blocks: BlockIndex,
    while_at_least: int,
    max_groups: int,
    group: int,
    labels: Integers,
    orders: Integers,
    position: Integers,
    near: Integers,
    squared: Values,
) -> int:
    """Group the next remaining record of each order in turn with its nearest.

    Parameters
    ----------
    blocks, while_at_least, max_groups, group, labels, near, squared
        As in :func:`engine.kernels.fixed_size.mdav.extreme_groups`.
    orders : ndarray of int64, shape (n_orders, n_records)
        Each row names every record once.
    position : ndarray of int64, shape (n_orders,)
        No record remains before this place of each order; changed in place.

    Returns
    -------
    int
        Number of the next group; group g begins with order ``g % n_orders``.
    """
    for _ in range(max_groups):
        if blocks.count[0] < while_at_least:
            break
        turn = group % orders.shape[0]
        while blocks.slot[orders[turn, position[turn]]] < 0:
            position[turn] += 1
        take_nearest_group(
            blocks, orders[turn, position[turn]], group, labels, near, squared
        )
        group += 1
    return group
