"""Nearest common ancestors of categories in groups; a shared mode replaces the root."""

from __future__ import annotations

import numpy as np

from engine.aggregate.base import AggregationInfo, GroupedAttribute, aggregations
from engine.aggregate.generalise import CommonAncestors, hierarchy_and_common_ancestors
from engine.core.numerics.statistics import mode_by_group
from engine.data.kinds import Kind


@aggregations.register(
    AggregationInfo(
        "ancestor",
        "Ancestor or mode",
        "The nearest common ancestor of the group's values in the hierarchy, such as "
        "435* for 4350 and 4351. If this ancestor is the root (the coarsest value of "
        "the hierarchy), the group gets its most frequent value. But if a single "
        "record of the table has the most frequent value, the group gets the root, to "
        "protect this record.",
        became="the group's nearest common ancestor, or its most frequent value",
        shared="the nearest common ancestor or most frequent value of {columns}",
        kinds=frozenset({Kind.NOMINAL}),
        hierarchy=True,
        common=CommonAncestors,
    )
)
def common_ancestors_or_modes(grouped_column: GroupedAttribute) -> CommonAncestors:
    """Return each group's nearest common ancestor; for the root, its mode if shared.

    A mode that one record alone has would name it, and leaves the root.

    Raises
    ------
    ParameterError
        If the column has no hierarchy.
    """
    tree, nodes = hierarchy_and_common_ancestors(grouped_column)
    says_nothing = tree.leaf_counts[nodes] == len(tree.leaves)
    modes = mode_by_group(grouped_column.values, grouped_column.labels).astype(np.int64)
    of_one = np.bincount(grouped_column.values.astype(np.int64))[modes] == 1
    nodes = np.where(says_nothing & ~of_one, modes, nodes)
    return CommonAncestors(nodes.astype(np.float64), nodes, tree)
