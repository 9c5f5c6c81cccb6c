"""Coordinate space: the mapping from a table's values to coordinates.

A number, a rank or a date is ``(t(x) - centre) / scale`` with t its transform; its
distances are differences. A category is a corner of its hierarchy, see
:mod:`engine.points.branches`. Both are scaled alike: by the z-score each attribute's
coordinates together have variance 1, by the range its widest distance is 1.

Weights. An attribute of weight w counts as w attributes would: its squared distances,
and with them its share of SSE and SST, are w times as large, because its coordinates
are ``sqrt(w)`` times as large. So the squared distance of two records is the sum over
attributes of weight times squared distance, as in Gower (1971,
https://doi.org/10.2307/2528823), and IL = 100 SSE / SST weighs losses alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Booleans, Integers, Values
from engine.data.conversion.attributes import AttributeInfo
from engine.kernels.records.coded_records import CodedRecords, SearchRecords
from engine.points.branches import CategoryCoordinates
from engine.points.transforms import NO_TRANSFORM, FittedTransform

RECORDS_PER_PIECE = 65_536
"""Records whose categories are looked up at once."""


@dataclass(frozen=True, eq=False)
class CoordinateSpace:
    """Mapping from a table's values to coordinates, equal for all parts of the table.

    Attributes
    ----------
    attributes : tuple of AttributeInfo
        Attributes, with the ranges of the whole table.
    centre, scale : ndarray of float64, shape (n_attributes,)
        Of transformed numbers; 0 and 1 for nominal attributes.
    weights : ndarray of float64, shape (n_attributes,)
    transforms : tuple of FittedTransform
    branches : tuple of CategoryCoordinates or None
        Where the categories of each nominal attribute lie.
    """

    attributes: tuple[AttributeInfo, ...]
    centre: Values
    scale: Values
    weights: Values
    transforms: tuple[FittedTransform, ...]
    branches: tuple[CategoryCoordinates | None, ...]

    @classmethod
    def from_numbers(
        cls, attributes: tuple[AttributeInfo, ...], centre: Values, scale: Values
    ) -> CoordinateSpace:
        """Return the space of equally weighted, untransformed numbers."""
        p = len(attributes)
        plain, none = (FittedTransform(),) * p, (None,) * p
        return cls(attributes, centre, scale, np.ones(p), plain, none)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all attributes are numbers of weight 1, with one coordinate each."""
        numbers = all(each is None for each in self.branches)
        return numbers and bool((self.weights == 1.0).all())

    @cached_property
    def is_exact(self) -> bool:
        """Whether distances are exact: no coordinate was dropped."""
        return all(each is None or each.exact for each in self.branches)

    @cached_property
    def widths(self) -> Integers:
        """Number of coordinates of each attribute, shape (n_attributes,)."""
        n_coordinates = [
            1 if each is None else each.n_coordinates for each in self.branches
        ]
        return np.array(n_coordinates, dtype=np.int64)

    @cached_property
    def offsets(self) -> Integers:
        """First coordinate of each attribute, shape (n_attributes,)."""
        return np.cumsum(self.widths) - self.widths

    def coordinates_of(self, attributes: Sequence[int]) -> Integers:
        """Return the coordinate numbers of some attributes, in order."""
        starts, widths = self.offsets, self.widths
        parts = [np.arange(starts[j], starts[j] + widths[j]) for j in attributes]
        return np.concatenate(parts)

    def narrowest_coordinates(self, max_coordinates: int) -> Integers:
        """Return coordinate numbers of the attributes with fewest, up to a limit.

        Numbers come before categories, few of them before many; one at least.
        """
        order = np.argsort(self.widths, kind="stable")
        fit = np.cumsum(self.widths[order]) <= max_coordinates
        chosen = order[: max(1, int(fit.sum()))]
        return self.coordinates_of(np.sort(chosen).tolist())

    def view(self, X: Values, values: Values, missing: Booleans) -> SearchRecords:
        """Return points in the form of :mod:`engine.kernels.records.coded_records`.

        Local searches take it. A nominal attribute some of whose cells stay missing
        keeps coordinates: no code stands for the middle, where such cells lie.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_coordinates)
        values, missing
            As in :meth:`coordinates`.
        """
        lacking = np.asarray(missing.any(axis=0) & ~missing.all(axis=0))
        as_codes = [
            j
            for j, each in enumerate(self.branches)
            if each is not None and not lacking[j]
        ]
        if not as_codes:
            return SearchRecords.from_numbers(X)
        roots = np.sqrt(self.weights)
        columns = self.scale_values(values) * roots
        nominal = [j for j, each in enumerate(self.branches) if each is not None]
        for j in nominal:
            places = self.branches[j].places  # type: ignore[union-attr]
            columns[:, j] = places[values[:, j].astype(np.int64)] * roots[j]
            columns[missing[:, j], j] = 0.0
        order = [j for j in range(self.weights.size) if j not in nominal] + nominal
        coded_records = self._coded(X, values, missing, as_codes)
        few = [j for j in as_codes if self.branches[j].exact]  # type: ignore[union-attr]
        coded = (
            coded_records if few == as_codes else self._coded(X, values, missing, few)
        )
        return SearchRecords(
            coded, coded_records, np.ascontiguousarray(columns[:, order]), len(nominal)
        )

    def _coded(
        self, X: Values, values: Values, missing: Booleans, as_codes: list[int]
    ) -> CodedRecords:
        """Return points with some attributes as codes, the others as coordinates."""
        if not as_codes:
            return CodedRecords.from_numbers(X)
        others = [j for j in range(self.weights.size) if j not in as_codes]
        numbers = np.zeros((X.shape[0], 0))
        if others:
            numbers = np.ascontiguousarray(X[:, self.coordinates_of(others)])
        codes: list[Integers] = []
        squares: list[Values] = []
        before = 0
        for j in as_codes:
            branches = self.branches[j]
            assert branches is not None
            ways = branches.ways[values[:, j].astype(np.int64)]
            ways[missing[:, j]] = -1
            codes.append(np.where(ways < 0, -1, ways + before))
            squares.append(branches.lengths * self.weights[j])
            before += branches.lengths.size
        marks = np.hstack(codes)
        marks[marks < 0] = before
        return CodedRecords(
            numbers, np.ascontiguousarray(marks), np.concatenate([*squares, [0.0]])
        )

    def select_attributes(self, chosen: Sequence[int]) -> CoordinateSpace:
        """Return the space of some attributes."""
        some = list(chosen)
        return CoordinateSpace(
            tuple(self.attributes[j] for j in some),
            self.centre[some],
            self.scale[some],
            self.weights[some],
            tuple(self.transforms[j] for j in some),
            tuple(self.branches[j] for j in some),
        )

    def scale_values(self, values: Values) -> Values:
        """Return numbers transformed and scaled, shape (n_records, n_attributes).

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units; what is nominal stays as it is.
        """
        if any(each.id != NO_TRANSFORM for each in self.transforms):
            columns = zip(self.transforms, values.T, strict=True)
            values = np.column_stack([bend(column) for bend, column in columns])
        return np.asarray((values - self.centre) / self.scale)

    def coordinates(self, values: Values, missing: Booleans) -> Values:
        """Return points, shape (n_records, n_coordinates), C-contiguous, read-only.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units; leaf numbers of nominal attributes.
        missing : ndarray of bool, shape (n_records, n_attributes)
        """
        lines = self.scale_values(values)
        if self.is_plain:
            return freeze_contiguous(lines)
        X = np.empty((len(values), int(self.widths.sum())))
        roots = np.sqrt(self.weights)
        for j, branches in enumerate(self.branches):
            at = slice(self.offsets[j], self.offsets[j] + self.widths[j])
            if branches is None:
                X[:, at.start] = lines[:, j] * roots[j]
                continue
            corners = np.vstack([branches.corners, branches.middle]) * roots[j]
            codes = np.where(missing[:, j], -1, values[:, j]).astype(np.int64)
            for first in range(
                0, codes.size, RECORDS_PER_PIECE
            ):  # no copy of all of them
                some = slice(first, first + RECORDS_PER_PIECE)
                X[some, at] = corners[codes[some]]
        return freeze_contiguous(X)

    def decode_values(self, X: Values, j: int) -> Values | None:
        """Return the numbers that points stand for; None if nominal or of weight 0.

        Parameters
        ----------
        X : ndarray of float64, shape (n_points, n_coordinates)
        j : int
            Attribute.
        """
        if self.branches[j] is not None or self.weights[j] == 0.0:
            return None
        column = X[:, self.offsets[j]]
        if self.weights[j] != 1.0:
            column = column / np.sqrt(self.weights[j])
        return self.transforms[j].invert(column * self.scale[j] + self.centre[j])


def freeze_contiguous(values: NDArray[np.float64]) -> Values:
    """Return values read-only: themselves, changed in place, or a C-contiguous copy."""
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    return values
