"""Convert groups between labels and sorted members, and compute their SSE."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.bounds.linear_programme.cuts import Group
from engine.bounds.linear_programme.master import sse_per_group
from engine.core.message import Message
from engine.core.partition import Labels, members_by_group
from engine.core.typing import Values

CHOOSING_STAGE = Message("Choosing groups")
"""What people read while groups are chosen by linear and integer programmes."""


def groups_from_labels(labels: Labels) -> list[Group]:
    """Return the sorted members of each group."""
    return [tuple(members.tolist()) for members in members_by_group(labels)]


def labels_from_groups(groups: Sequence[Group], n: int) -> Labels:
    """Return the label of each record, numbered by first record; -1 for no group."""
    labels = np.full(n, -1, dtype=np.int64)
    for number, group in enumerate(sorted(groups)):
        labels[list(group)] = number
    return labels


def group_costs(X: Values, groups: Sequence[Group]) -> Values:
    """Return the SSE of each group, of any size, shape (n_groups,)."""
    costs = np.empty(len(groups))
    for size in sorted({len(group) for group in groups}):
        some = [g for g, group in enumerate(groups) if len(group) == size]
        costs[some] = sse_per_group(X, np.array([groups[g] for g in some]))
    return costs


def total_group_sse(X: Values, labels: Labels) -> float:
    """Return the SSE of all groups."""
    return float(group_costs(X, groups_from_labels(labels)).sum())
