"""Generalisation: the nearest common ancestor of a group's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.aggregate.base import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.aggregate.interval import group_intervals
from engine.core.errors import ParameterError
from engine.core.typing import Integers
from engine.data.conversion.attributes import AttributeInfo
from engine.data.kinds import Kind
from engine.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class CommonAncestors(CommonValues):
    """Nearest common ancestor of each group, released as text unless all are leaves.

    Attributes
    ----------
    values : ndarray of float64, shape (n_groups,)
        Node numbers of categories, of which the first are leaves; midpoints of numbers.
    nodes : ndarray of int64, shape (n_groups,)
    tree : Hierarchy
    """

    numeric: ClassVar[bool] = False

    nodes: Integers
    tree: Hierarchy

    def group_texts(self, attribute: AttributeInfo) -> Sequence[str] | None:
        """Return each group's ancestor, such as 435*; None if all are leaves."""
        if (self.nodes < len(self.tree.leaves)).all():
            return None
        return [self.tree.nodes[node] for node in self.nodes]


def common_ancestors(
    tree: Hierarchy, leaves: Integers, labels: Integers, n_groups: int
) -> Integers:
    """Return the node number of the nearest common ancestor of each group's leaves.

    Parameters
    ----------
    leaves : ndarray of int64, shape (n_records,)
    labels : ndarray of int64, shape (n_records,)
        Group of each record, every number below `n_groups` at least once.
    n_groups : int

    Returns
    -------
    ndarray of int64, shape (n_groups,)
        Node numbers.
    """
    nodes = np.full(n_groups, -1, dtype=np.int64)
    for level in range(tree.height + 1):
        above = tree.ancestors[leaves, level]
        low = np.full(n_groups, tree.levels.size)
        high = np.full(n_groups, -1)
        np.minimum.at(low, labels, above)
        np.maximum.at(high, labels, above)
        is_common = (nodes < 0) & (low == high)
        nodes[is_common] = low[is_common]
    return nodes


@aggregations.register(
    AggregationInfo(
        "generalise",
        "Generalisation",
        "The nearest common ancestor of the group's values in the column's "
        "hierarchy, as in 435* for 4350 and 4351.",
        became="the group's nearest common ancestor",
        shared="the nearest common ancestor of {columns}",
        kinds=frozenset(Kind),
        hierarchy=True,
        common=CommonAncestors,
    )
)
def generalise_groups(grouped_column: GroupedAttribute) -> CommonAncestors:
    """Return the nearest common ancestor of each group, without record weights.

    The number for a group of numbers is the midpoint of its interval.

    Raises
    ------
    ParameterError
        If the column has no hierarchy.
    """
    tree, nodes = hierarchy_and_common_ancestors(grouped_column)
    if grouped_column.kind is Kind.NOMINAL:
        values = nodes.astype(np.float64)
    else:
        values = group_intervals(grouped_column).values
    return CommonAncestors(values, nodes, tree)


def hierarchy_and_common_ancestors(
    grouped_column: GroupedAttribute,
) -> tuple[Hierarchy, Integers]:
    """Return a column's hierarchy, and each group's nearest common ancestor in it.

    Raises
    ------
    ParameterError
        If the column has no hierarchy.
    """
    tree, leaves = grouped_column.tree, grouped_column.leaves
    if tree is None or leaves is None:
        raise ParameterError(
            "Column {column!r} has no hierarchy to be generalised by: give it "
            "one, or choose another aggregation.",
            column=grouped_column.name,
        )
    return tree, common_ancestors(
        tree, leaves, grouped_column.labels, grouped_column.n_groups
    )
