"""Points: the records of a table as methods, bounds and measures see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.core.message import Message
from engine.core.typing import Values
from engine.data.attributes import Attribute
from engine.data.kinds import Kind

if TYPE_CHECKING:
    from engine.constraints.rules import Rules
    from engine.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Points:
    """Records prepared for grouping.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous, read-only, without NaN: ``(values - centre) / scale``.
    values : ndarray of float64, shape (n_records, n_attributes)
        The same records in their own units, missing values settled.
    attributes : tuple of Attribute
        What the columns of X mean. For a nominal attribute X and values hold leaf
        numbers of its hierarchy; centre is 0 and scale 1.
    centre, scale : ndarray of float64, shape (n_attributes,)
    span : ndarray of float64, shape (n_attributes,)
        Largest minus smallest value of X in the whole table; 0 for constants.
    rows : ndarray of int64, shape (n_records,)
        Row of the table that each record came from.
    missing : ndarray of bool, shape (n_records, n_attributes)
        Cells that stay missing in the release; there `values` holds the column's mean,
        of a nominal attribute 0, and X what follows from it. Records are grouped with
        those that lack the same cells, so within a group such a column is constant.
    weights : ndarray of float64, shape (n_records,), or None
        How many units each record stands for.
    rules : Rules or None
        What released values have to satisfy, in the columns' own units.
    filled : mapping of str to ndarray of int64
        Rows of the table whose missing value in that column was filled in.
    warnings : tuple of Message
    """

    X: Values
    values: Values
    attributes: tuple[Attribute, ...]
    centre: Values
    scale: Values
    span: Values
    rows: NDArray[np.int64]
    missing: NDArray[np.bool_]
    weights: Values | None = None
    rules: Rules | None = None
    filled: Mapping[str, NDArray[np.int64]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    warnings: tuple[Message, ...] = ()

    @classmethod
    def from_array(cls, X: Values) -> Points:
        """Wrap values that need no preparation: continuous, as they are.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_attributes)
        """
        values = np.ascontiguousarray(X, dtype=np.float64)
        if values is X:
            values = values.view()
        values.flags.writeable = False
        n, p = values.shape
        with np.errstate(over="ignore"):  # a range beyond the largest number is inf
            span = np.ptp(values, axis=0) if n else np.zeros(p)
        return cls(
            X=values,
            values=values,
            attributes=tuple(
                Attribute(f"x{j}", range=float(span[j])) for j in range(p)
            ),
            centre=np.zeros(p),
            scale=np.ones(p),
            span=span,
            rows=np.arange(n, dtype=np.int64),
            missing=np.zeros((n, p), dtype=np.bool_),
        )

    @classmethod
    def scaled(
        cls,
        values: Values,
        attributes: tuple[Attribute, ...],
        centre: Values,
        scale: Values,
        **others: Any,
    ) -> Points:
        """Return records on the scale of a table that they are all or a part of.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units, missing values settled.
        attributes : tuple of Attribute
            With the ranges of the whole table.
        centre, scale : ndarray of float64, shape (n_attributes,)
        **others
            As above; without them no cell is missing, and rows are 0, 1, and so on.
        """
        n, p = values.shape
        known = {
            "rows": np.arange(n, dtype=np.int64),
            "missing": np.zeros((n, p), dtype=np.bool_),
        }
        return cls(
            X=frozen((values - centre) / scale),
            values=frozen(values),
            attributes=attributes,
            centre=centre,
            scale=scale,
            span=np.array([each.range for each in attributes]) / scale,
            **{**known, **others},
        )

    def subset(self, records: NDArray[np.int64]) -> Points:
        """Return only the given records, on the same centre, scale and span."""
        return replace(
            self,
            X=frozen(self.X[records]),
            values=frozen(self.values[records]),
            rows=self.rows[records],
            missing=self.missing[records],
            weights=None if self.weights is None else self.weights[records],
        )

    def columns(self, indices: Sequence[int]) -> Points:
        """Return only the given attributes of all records, without the rules."""
        chosen = list(indices)
        return replace(
            self,
            X=frozen(self.X[:, chosen]),
            values=frozen(self.values[:, chosen]),
            attributes=tuple(self.attributes[j] for j in chosen),
            centre=self.centre[chosen],
            scale=self.scale[chosen],
            span=self.span[chosen],
            missing=self.missing[:, chosen],
            rules=None,
        )

    def with_rules(self, rules: Rules) -> Points:
        """Return the same records, bound by rules."""
        return replace(self, rules=rules)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns, in the order of X."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds, in the order of X."""
        return tuple(attribute.kind for attribute in self.attributes)

    @property
    def trees(self) -> Mapping[str, Hierarchy]:
        """Generalisation hierarchies, by column; every nominal attribute has one."""
        return {
            attribute.name: attribute.tree
            for attribute in self.attributes
            if attribute.tree is not None
        }

    @cached_property
    def numeric(self) -> NDArray[np.bool_]:
        """Attributes whose differences mean something, shape (n_attributes,)."""
        return np.array([not each.nominal for each in self.attributes], dtype=np.bool_)

    @cached_property
    def numbers(self) -> Values:
        """The numeric columns of X; X itself if there are no others."""
        return self.X if self.numeric.all() else frozen(self.X[:, self.numeric])

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.X.shape[0])

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return int(self.X.shape[1])


def frozen(values: Values) -> Values:
    """Return values C-contiguous and read-only."""
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    return values
