"""The Points class: records as coordinates, with values, weights and rules."""

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
from engine.data.conversion.attributes import AttributeInfo
from engine.kernels.index.shared import RepeatedCoordinates
from engine.kernels.records.coded_records import SearchRecords
from engine.points.coordinate_space import CoordinateSpace, freeze_contiguous

if TYPE_CHECKING:
    from engine.constraints.rules import Rules


@dataclass(frozen=True, eq=False)
class Points:
    """Records as coordinates, with their values, weights and rules.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
        C-contiguous, read-only, without NaN: what `space` makes of `values`, scaled and
        times attribute weights, so that methods compare records by Euclidean distance.
        A number has one coordinate, a category several.
    values : ndarray of float64, shape (n_records, n_attributes)
        The same records in their own units, missing values settled; leaf numbers of
        the hierarchy for nominal attributes.
    space : CoordinateSpace
        What the coordinates mean.
    rows : ndarray of int64, shape (n_records,)
        Row of the table that each record came from.
    missing : ndarray of bool, shape (n_records, n_attributes)
        Cells that stay missing in the release; there `values` holds the column's mean
        (of transformed values), or leaf 0, and X the mean of the others. Records are
        grouped with those that lack the same cells: no such column varies in a group.
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
    space: CoordinateSpace
    rows: Integers
    missing: NDArray[np.bool_]
    weights: Values | None = None
    rules: Rules | None = None
    filled: Mapping[str, Integers] = field(default_factory=lambda: MappingProxyType({}))
    warnings: tuple[Message, ...] = ()

    @classmethod
    def from_array(cls, X: Values) -> Points:
        """Return points of continuous values that need no preparation.

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
        attributes = [AttributeInfo(f"x{j}", range=float(span[j])) for j in range(p)]
        return cls(
            X=values,
            values=values,
            space=CoordinateSpace.from_numbers(
                tuple(attributes), np.zeros(p), np.ones(p)
            ),
            rows=np.arange(n, dtype=np.int64),
            missing=np.zeros((n, p), dtype=np.bool_),
        )

    @classmethod
    def in_space(cls, space: CoordinateSpace, values: Values, **others: Any) -> Points:
        """Return points of records in a given coordinate space.

        Parameters
        ----------
        space : CoordinateSpace
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units, missing values settled.
        **others
            Other attributes of Points; without, no cell is missing, rows are 0, 1, ...
        """
        n, p = values.shape
        point_fields = {
            "rows": np.arange(n, dtype=np.int64),
            "missing": np.zeros((n, p), dtype=np.bool_),
            **others,
        }
        X = space.coordinates(values, point_fields["missing"])
        return cls(X=X, values=freeze_contiguous(values), space=space, **point_fields)

    def subset(self, records: NDArray[np.int64]) -> Points:
        """Return the points of some records, with centre and scale unchanged."""
        return replace(
            self,
            X=freeze_contiguous(self.X[records]),
            values=freeze_contiguous(self.values[records]),
            rows=self.rows[records],
            missing=self.missing[records],
            weights=None if self.weights is None else self.weights[records],
        )

    def select_attributes(self, indices: Sequence[int]) -> Points:
        """Return the points of all records in some attributes, with their rules."""
        chosen = list(indices)
        return replace(
            self,
            X=freeze_contiguous(self.X[:, self.space.coordinates_of(chosen)]),
            values=freeze_contiguous(self.values[:, chosen]),
            space=self.space.select_attributes(chosen),
            missing=self.missing[:, chosen],
            rules=None if self.rules is None else self.rules.about_columns(chosen),
        )

    def with_rules(self, rules: Rules) -> Points:
        """Return the same points with constraint rules."""
        return replace(self, rules=rules)

    @property
    def attributes(self) -> tuple[AttributeInfo, ...]:
        """Attributes in the order of the columns of `values`."""
        return self.space.attributes

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in the order of `values`."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def numeric(self) -> NDArray[np.bool_]:
        """Mask of attributes that are not nominal, shape (n_attributes,)."""
        return np.array(
            [not each.is_nominal for each in self.attributes], dtype=np.bool_
        )

    @cached_property
    def scaled_values(self) -> Values:
        """Scaled numbers without attribute weights, and leaf codes of categories.

        Shape (n_records, n_attributes).
        """
        return (
            self.X
            if self.space.is_plain
            else freeze_contiguous(self.space.scale_values(self.values))
        )

    @cached_property
    def shared_coordinates(self) -> tuple[RepeatedCoordinates, ...]:
        """Coordinates of each nominal attribute, stored once per distinct category."""
        repeated_coordinates = []
        for j in np.flatnonzero(~self.numeric).tolist():
            at = self.space.coordinates_of([j])
            codes = np.where(self.missing[:, j], -1, self.leaf_codes(j))
            _, some, of = np.unique(codes, return_index=True, return_inverse=True)
            repeated_coordinates.append(
                RepeatedCoordinates(int(at[0]), of, self.X[some][:, at])
            )
        return tuple(repeated_coordinates)

    @cached_property
    def view(self) -> SearchRecords:
        """The records in the form that local search uses: categories as codes."""
        return self.space.view(self.X, self.values, self.missing)

    def leaf_codes(self, j: int) -> Integers:
        """Return each record's leaf number in nominal attribute `j`, (n_records,)."""
        return self.values[:, j].astype(np.int64)

    @cached_property
    def sort_keys(self) -> Values:
        """Sort keys of the records for a single attribute, shape (n_records,).

        Of categories their places in the hierarchy, where brothers stand together.
        """
        return np.ascontiguousarray(self.scaled_values[:, 0])

    def attribute_sse(self, j: int, labels: Integers) -> float:
        """Return the SSE of attribute `j` without its weight; record weights count.

        Parameters
        ----------
        j : int
        labels : ndarray of int64, shape (n_records,)
            Group of each record; the centre is the group's mean. Cells that stay
            missing add nothing.
        """
        has_value = ~self.missing[:, j]
        of, mass = labels[has_value], None
        if self.weights is not None:
            mass = self.weights[has_value]
        branches = self.space.branches[j]
        if branches is not None:
            return branches.sse(self.leaf_codes(j)[has_value], of, mass)
        column = self.scaled_values[has_value, j]
        if mass is None:
            mass = np.ones(column.size)
        total = np.bincount(of, mass)
        means = np.bincount(of, mass * column) / np.where(total > 0.0, total, 1.0)
        return float(mass @ np.square(column - means[of]))

    def sse(self, labels: Integers) -> float:
        """Return the SSE of groups over all coordinates, with attribute weights."""
        parts = [self.attribute_sse(j, labels) for j in range(self.n_attributes)]
        return float(self.space.weights @ np.array(parts))

    @cached_property
    def sst(self) -> float:
        """Total sum of squares around the mean, over all coordinates."""
        return self.sse(np.zeros(self.n_records, dtype=np.int64))

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.X.shape[0])

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return int(self.values.shape[1])
