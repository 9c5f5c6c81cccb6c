"""Types shared by all aggregations, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.core.registry import Registry, list_module_names
from engine.core.typing import Booleans, Integers, Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.kinds import Kind

if TYPE_CHECKING:
    from engine.hierarchy import Hierarchy

NUMERIC_KINDS = frozenset({Kind.CONTINUOUS, Kind.ORDINAL})
"""Kinds whose values can be added, or at least ranked."""


@dataclass(frozen=True, eq=False)
class GroupedAttribute:
    """Values of one attribute, and the group labels of all records.

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
        Leaf of `tree` that each value is; None where no aggregation needs it.
    """

    name: str
    kind: Kind
    values: Values
    labels: Integers
    n_groups: int
    tree: Hierarchy | None = None
    weights: Values | None = None
    leaves: Integers | None = None


@dataclass(frozen=True, eq=False)
class CommonValues:
    """Common value of each group for one attribute.

    Attributes
    ----------
    values : ndarray of float64, shape (n_groups,)
        The number that stands for the group, and is released unless a subclass says
        otherwise: a leaf number for a category.
    """

    numeric: ClassVar[bool] = True
    """Whether `values` are released, so that rules and rounding hold for them."""
    interval: ClassVar[bool] = False
    """Whether `ranges` differ, so that each may be released as a column of its own."""

    values: Values

    @property
    def ranges(self) -> tuple[Values, Values]:
        """Smallest and largest value that each group's common value covers."""
        return self.values, self.values

    def released_column(
        self,
        attribute: AttributeInfo,
        labels: Integers,
        numbers: Values,
        column: pd.Series,
        missing: Booleans,
    ) -> pd.Series:
        """Return the released value of each record.

        Parameters
        ----------
        labels : ndarray of int64, shape (n_records,)
            Group of each record.
        numbers : ndarray of float64, shape (n_records,)
            `values` of each record's group, as rules and rounding have moved them.
        column : pandas.Series, shape (n_records,)
            The same records before protection, for the type and the index.
        missing : ndarray of bool, shape (n_records,)
            Cells that stay missing.
        """
        texts = self.group_texts(attribute)
        if texts is not None:
            record_texts = np.asarray(texts)[labels]
            return pd.Series(record_texts, column.index, dtype="str").mask(missing)
        if not self.numeric:
            numbers = self.ranges[0][labels]
        return attribute.to_typed(numbers, column, missing)

    def group_texts(self, attribute: AttributeInfo) -> Sequence[str] | None:
        """Return the text released of each group; None where `values` are released."""
        return None


Aggregation = Callable[[GroupedAttribute], CommonValues]
"""``aggregate(grouped_attribute)`` gives one common value per group.

But for the last digits it must not depend on the order of the records, and a group of
equal values must keep them.
"""


@dataclass(frozen=True)
class AggregationInfo:
    """Identifier and texts of an aggregation, and which columns it suits.

    Attributes
    ----------
    id, title, summary : str
    became : str
        What the report says that a value became, as in "the group's mean".
    shared : str
        What is said of a finished run, as in "the mean of {columns}".
    kinds : frozenset of Kind
        Kinds of attributes that it makes sense for.
    ranks : bool
        Whether it suits ranks of ordered words, whose differences mean nothing.
    dates : bool
        Whether it suits dates, which have no true zero.
    hierarchy : bool
        Whether it needs the column's hierarchy.
    common : type of CommonValues
        Type that it returns, which says how values are written.
    """

    id: str
    title: str
    summary: str
    became: str
    shared: str
    kinds: frozenset[Kind] = NUMERIC_KINDS
    ranks: bool = True
    dates: bool = True
    hierarchy: bool = False
    common: type[CommonValues] = CommonValues
    aliases: tuple[str, ...] = ()


aggregations: Registry[AggregationInfo, Aggregation] = Registry(
    Message("aggregation"), modules=partial(list_module_names, "engine.aggregate")
)
"""All aggregations, by identifier."""
