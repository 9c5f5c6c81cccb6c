"""Assign records to the leaves of a binary split tree."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel


@kernel
def assign_leaves(
    values: Values,
    numbers: Integers,
    split_attribute: Integers,
    split_value: Values,
    split_number: Integers,
    children: Integers,
    leaf_numbers: Integers,
) -> None:
    """Write the leaf number of each record to `leaf_numbers`.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records, n_attributes)
    numbers : ndarray of int64, shape (n_records,)
        Number of each record; of equal values the lower number is the smaller one.
    split_attribute : ndarray of int64, shape (n_nodes,)
        Node i asks whether (value of split_attribute[i], record number) is smaller than
        (split_value[i], split_number[i]). The first node is the root.
    split_value : ndarray of float64, shape (n_nodes,)
    split_number : ndarray of int64, shape (n_nodes,)
    children : ndarray of int64, shape (n_nodes, 2)
        Where to go if it is, and if not: a node, or -1 - leaf.
    leaf_numbers : ndarray of int64, shape (n_records,)
        Filled.
    """
    for i in range(values.shape[0]):
        node = children.shape[0] * 0
        while node >= 0:
            value = values[i, split_attribute[node]]
            smaller = value < split_value[node] or (
                value == split_value[node] and numbers[i] < split_number[node]
            )
            node = children[node, 0] if smaller else children[node, 1]
        leaf_numbers[i] = -1 - node
