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
from engine.core.typing import Integers, Values
from engine.data.attributes import Attribute
from engine.data.kinds import Kind
from engine.kernels.coded import View
from engine.kernels.index.shared import Shared
from engine.points.space import Space, frozen

if TYPE_CHECKING:
    from engine.constraints.rules import Rules
    from engine.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Points:
    """Records prepared for grouping.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
        C-contiguous, read-only, without NaN: what `space` makes of `values`. A number
        has one coordinate, a category several.
    values : ndarray of float64, shape (n_records, n_attributes)
        The same records in their own units, missing values settled; leaf numbers of
        the hierarchy for nominal attributes.
    space : Space
        What the coordinates mean.
    rows : ndarray of int64, shape (n_records,)
        Row of the table that each record came from.
    missing : ndarray of bool, shape (n_records, n_attributes)
        Cells that stay missing in the release; there `values` holds the column's mean,
        of a nominal attribute 0, and X the mean of the others. Records are grouped with
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
    space: Space
    rows: Integers
    missing: NDArray[np.bool_]
    weights: Values | None = None
    rules: Rules | None = None
    filled: Mapping[str, Integers] = field(default_factory=lambda: MappingProxyType({}))
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
        attributes = [Attribute(f"x{j}", range=float(span[j])) for j in range(p)]
        return cls(
            X=values,
            values=values,
            space=Space.of_numbers(tuple(attributes), np.zeros(p), np.ones(p)),
            rows=np.arange(n, dtype=np.int64),
            missing=np.zeros((n, p), dtype=np.bool_),
        )

    @classmethod
    def within(cls, space: Space, values: Values, **others: Any) -> Points:
        """Return records in the space of a table that they are all or a part of.

        Parameters
        ----------
        space : Space
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units, missing values settled.
        **others
            As above; without them no cell is missing, and rows are 0, 1, and so on.
        """
        n, p = values.shape
        known = {
            "rows": np.arange(n, dtype=np.int64),
            "missing": np.zeros((n, p), dtype=np.bool_),
            **others,
        }
        X = space.coordinates(values, known["missing"])
        return cls(X=X, values=frozen(values), space=space, **known)

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
        """Return only the given attributes of all records, and the rules of these."""
        chosen = list(indices)
        return replace(
            self,
            X=frozen(self.X[:, self.space.coordinates_of(chosen)]),
            values=frozen(self.values[:, chosen]),
            space=self.space.columns(chosen),
            missing=self.missing[:, chosen],
            rules=None if self.rules is None else self.rules.of(chosen),
        )

    def with_rules(self, rules: Rules) -> Points:
        """Return the same records, bound by rules."""
        return replace(self, rules=rules)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What the columns of `values` mean."""
        return self.space.attributes

    @property
    def names(self) -> tuple[str, ...]:
        """Columns, in the order of `values`."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds, in the order of `values`."""
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
    def lines(self) -> Values:
        """Numbers as they are scaled, whatever they weigh; leaf numbers of categories.

        Shape (n_records, n_attributes).
        """
        return self.X if self.space.plain else frozen(self.space.lines(self.values))

    @cached_property
    def shared(self) -> tuple[Shared, ...]:
        """The coordinates of each nominal attribute, and which records share them."""
        found = []
        for j in np.flatnonzero(~self.numeric).tolist():
            at = self.space.coordinates_of([j])
            codes = np.where(self.missing[:, j], -1, self.codes(j))
            _, some, of = np.unique(codes, return_index=True, return_inverse=True)
            found.append(Shared(int(at[0]), of.reshape(-1), self.X[some][:, at]))
        return tuple(found)

    @cached_property
    def view(self) -> View:
        """The same records as local search sees them: categories as codes."""
        return self.space.view(self.X, self.values, self.missing)

    def codes(self, j: int) -> Integers:
        """Return the leaf of each record in a nominal attribute, (n_records,)."""
        return self.values[:, j].astype(np.int64)

    @cached_property
    def along(self) -> Values:
        """The only attribute as numbers to sort by, shape (n_records,).

        Of categories their places in the hierarchy, where brothers stand together.
        """
        return np.ascontiguousarray(self.lines[:, 0])

    def squares(self, j: int, labels: Integers) -> float:
        """Return SSE of an attribute on its own scale, whatever it weighs.

        Parameters
        ----------
        j : int
        labels : ndarray of int64, shape (n_records,)
            Group of each record; the centre is the group's mean. Cells that stay
            missing add nothing.
        """
        there = ~self.missing[:, j]
        of, mass = labels[there], None
        if self.weights is not None:
            mass = self.weights[there]
        branches = self.space.branches[j]
        if branches is not None:
            return branches.squares(self.codes(j)[there], of, mass)
        column = self.lines[there, j]
        if mass is None:
            mass = np.ones(column.size)
        total = np.bincount(of, mass)
        means = np.bincount(of, mass * column) / np.where(total > 0.0, total, 1.0)
        return float(mass @ np.square(column - means[of]))

    def total_squares(self, labels: Integers) -> float:
        """Return SSE of groups in all directions, as much as each attribute weighs."""
        parts = [self.squares(j, labels) for j in range(self.n_attributes)]
        return float(self.space.weights @ np.array(parts))

    @cached_property
    def sst(self) -> float:
        """Sum of squares around the mean, in all directions."""
        return self.total_squares(np.zeros(self.n_records, dtype=np.int64))

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.X.shape[0])

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return int(self.values.shape[1])
