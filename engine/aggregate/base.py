"""What every aggregation shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.registry import Registry
from engine.core.typing import Values
from engine.data.table import Kind

if TYPE_CHECKING:
    from engine.hierarchy import Hierarchy


NUMBERS = frozenset({Kind.CONTINUOUS, Kind.ORDINAL})
"""Kinds whose values can be added, or at least ranked."""


@dataclass(frozen=True, eq=False)
class Members:
    """One attribute of all records, and the groups that they are in.

    Attributes
    ----------
    name : str
        Column.
    kind : Kind
    values : ndarray of float64, shape (n_records,)
        In the column's own units; leaf numbers of `tree` for nominal attributes.
    labels : ndarray of int64, shape (n_records,)
        Group of each record, 0 to n_groups - 1.
    n_groups : int
    tree : Hierarchy or None
        Generalisation hierarchy, where the attribute has one.
    weights : ndarray of float64, shape (n_records,), or None
        How many units each record stands for; None where all count the same.
    leaves : ndarray of int64, shape (n_records,), or None
        Leaf of `tree` that each value is; None where nobody will ask.
    """

    name: str
    kind: Kind
    values: Values
    labels: NDArray[np.int64]
    n_groups: int
    tree: Hierarchy | None = None
    weights: Values | None = None
    leaves: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Common:
    """What the members of each group have in common after protection.

    Attributes
    ----------
    values : ndarray of float64, shape (n_groups,)
        The number that stands for the group: a leaf number for a category, the
        midpoint of an interval, NaN for a category above the leaves.
    low, high : ndarray of float64, shape (n_groups,), or None
        Ends of the interval, where an interval is released.
    nodes : ndarray of int64, shape (n_groups,), or None
        Nodes of the hierarchy, where a generalised category is released.
    """

    values: Values
    low: Values | None = None
    high: Values | None = None
    nodes: NDArray[np.int64] | None = None


Aggregation = Callable[[Members], Common]
"""``aggregate(members)`` gives one common value per group.

But for the last digits it must not depend on the order of the records, and a group of
equal values must keep them.
"""


@dataclass(frozen=True)
class AggregationInfo:
    """An aggregation's name and meaning.

    Attributes
    ----------
    id, title, summary : str
    kinds : frozenset of Kind
        Kinds of attributes that it makes sense for.
    """

    id: str
    title: str
    summary: str
    kinds: frozenset[Kind] = NUMBERS
    aliases: tuple[str, ...] = ()


aggregations: Registry[AggregationInfo, Aggregation] = Registry("aggregation")
"""All aggregations, by identifier."""
