"""Assign records to the leaves of a binary split tree."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel


@kernel
def assign_leaves(
    values: Values,
    numbers: Integers,
    attribute: Integers,
    value: Values,
    number: Integers,
    children: Integers,
    out: Integers,
) -> None:
    """Write the leaf number of each record to `out`.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records, n_attributes)
    numbers : ndarray of int64, shape (n_records,)
        Number of each record; of equal values the lower number is the smaller one.
    attribute : ndarray of int64, shape (n_nodes,)
        Node i asks whether (value of attribute[i], record number) is smaller than
        (value[i], number[i]). The first node is the root.
    value : ndarray of float64, shape (n_nodes,)
    number : ndarray of int64, shape (n_nodes,)
    children : ndarray of int64, shape (n_nodes, 2)
        Where to go if it is, and if not: a node, or -1 - leaf.
    out : ndarray of int64, shape (n_records,)
        Filled.
    """
    for i in range(values.shape[0]):
        node = children.shape[0] * 0
        while node >= 0:
            mine = values[i, attribute[node]]
            smaller = mine < value[node] or (
                mine == value[node] and numbers[i] < number[node]
            )
            node = children[node, 0] if smaller else children[node, 1]
        out[i] = -1 - node
