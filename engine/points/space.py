"""Space: how the values of a table become coordinates.

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
from engine.data.attributes import Attribute
from engine.points.branches import Branches
from engine.points.transforms import PLAIN, Transform

SHADOW = 10
"""Coordinates of an attribute among which neighbours are looked for."""

PIECE = 65_536
"""Records whose categories are looked up at once."""


@dataclass(frozen=True, eq=False)
class Space:
    """How the values of a table become coordinates; the same for all of its parts.

    Attributes
    ----------
    attributes : tuple of Attribute
        With the ranges of the whole table.
    centre, scale : ndarray of float64, shape (n_attributes,)
        Of transformed numbers; 0 and 1 for nominal attributes.
    weights : ndarray of float64, shape (n_attributes,)
    transforms : tuple of Transform
    branches : tuple of Branches or None
        Where the categories of each nominal attribute lie.
    """

    attributes: tuple[Attribute, ...]
    centre: Values
    scale: Values
    weights: Values
    transforms: tuple[Transform, ...]
    branches: tuple[Branches | None, ...]

    @classmethod
    def of_numbers(
        cls, attributes: tuple[Attribute, ...], centre: Values, scale: Values
    ) -> Space:
        """Return the space of numbers that weigh the same and are not transformed."""
        p = len(attributes)
        plain, none = (Transform(),) * p, (None,) * p
        return cls(attributes, centre, scale, np.ones(p), plain, none)

    @cached_property
    def plain(self) -> bool:
        """Whether each attribute is a number of weight 1, one coordinate each."""
        numbers = all(each is None for each in self.branches)
        return numbers and bool((self.weights == 1.0).all())

    @cached_property
    def exact(self) -> bool:
        """Whether distances of coordinates are the true ones: none was left out."""
        return all(each is None or each.exact for each in self.branches)

    @cached_property
    def widths(self) -> Integers:
        """Coordinates of each attribute, shape (n_attributes,)."""
        found = [1 if each is None else each.n_coordinates for each in self.branches]
        return np.array(found, dtype=np.int64)

    @cached_property
    def starts(self) -> Integers:
        """First coordinate of each attribute, shape (n_attributes,)."""
        return np.cumsum(self.widths) - self.widths

    def coordinates_of(self, attributes: Sequence[int]) -> Integers:
        """Return the coordinates of some attributes, in their order."""
        starts, widths = self.starts, self.widths
        parts = [np.arange(starts[j], starts[j] + widths[j]) for j in attributes]
        return np.concatenate(parts)

    def narrow(self, most: int) -> Integers:
        """Return coordinates of the narrowest attributes, at most so many if it can be.

        Numbers come before categories, few of them before many; one at least.
        """
        order = np.argsort(self.widths, kind="stable")
        fit = np.cumsum(self.widths[order]) <= most
        chosen = order[: max(1, int(fit.sum()))]
        return self.coordinates_of(np.sort(chosen).tolist())

    def shadow(self, X: Values) -> Values:
        """Return points in fewer coordinates, nearly as far apart, (n_records, few).

        Attributes of more than :data:`SHADOW` coordinates are projected at random
        (Johnson & Lindenstrauss 1984, https://doi.org/10.1090/conm/026/737400): equal
        categories stay equal, others are about as far apart. To look for neighbours
        among, where all that matters is found again in X.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_coordinates)
        """
        if (self.widths <= SHADOW).all():
            return X
        drawn = np.random.default_rng(0)
        parts = []
        for start, width in zip(self.starts, self.widths, strict=True):
            some = X[:, start : start + width]
            if width > SHADOW:
                some = some @ (drawn.standard_normal((width, SHADOW)) / SHADOW**0.5)
            parts.append(some)
        return frozen(np.hstack(parts))

    def columns(self, chosen: Sequence[int]) -> Space:
        """Return the space of some attributes."""
        some = list(chosen)
        return Space(
            tuple(self.attributes[j] for j in some),
            self.centre[some],
            self.scale[some],
            self.weights[some],
            tuple(self.transforms[j] for j in some),
            tuple(self.branches[j] for j in some),
        )

    def lines(self, values: Values) -> Values:
        """Return numbers transformed and scaled, shape (n_records, n_attributes).

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
            In their own units; what is nominal stays as it is.
        """
        if any(each.id != PLAIN for each in self.transforms):
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
        lines = self.lines(values)
        if self.plain:
            return frozen(lines)
        found = np.empty((len(values), int(self.widths.sum())))
        roots = np.sqrt(self.weights)
        for j, branches in enumerate(self.branches):
            at = slice(self.starts[j], self.starts[j] + self.widths[j])
            if branches is None:
                found[:, at.start] = lines[:, j] * roots[j]
                continue
            corners = np.vstack([branches.corners, branches.middle]) * roots[j]
            codes = np.where(missing[:, j], -1, values[:, j]).astype(np.int64)
            for first in range(0, codes.size, PIECE):  # no copy of all of them
                some = slice(first, first + PIECE)
                found[some, at] = corners[codes[some]]
        return frozen(found)

    def values_at(self, X: Values, j: int) -> Values | None:
        """Return what numbers points stand for; None where they say nothing of them.

        Parameters
        ----------
        X : ndarray of float64, shape (n_points, n_coordinates)
        j : int
            Attribute.
        """
        if self.branches[j] is not None or self.weights[j] == 0.0:
            return None
        column = X[:, self.starts[j]]
        if self.weights[j] != 1.0:
            column = column / np.sqrt(self.weights[j])
        return self.transforms[j].back(column * self.scale[j] + self.centre[j])


def frozen(values: NDArray[np.float64]) -> Values:
    """Return values C-contiguous and read-only."""
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    return values
