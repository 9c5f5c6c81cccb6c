"""Points with categories as codes instead of indicators, at equal distances.

A category of sixty is sixty indicators of which one is 1. Instead of them a record has
one code for each level of the column's hierarchy: the direction (see
:mod:`engine.points.branches`) that it lies below there. With w the squared length of a
direction, two records whose codes differ at a level are w + w' farther apart, squared,
and the centroid of a group in which a share s of the records has each direction is

    sum w s^2 + sum over the record's own directions of w (1 - 2 s)

away: constants of the group, and one look-up for each level. So sixty categories cost
what two do, and records without categories what they always did.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.distance import sq_dist_of_rows


class CodedRecords(NamedTuple):
    """Records as numbers and codes.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n_records, n_numbers)
        Coordinates, C-contiguous.
    codes : ndarray of int64, shape (n_records, n_levels)
        Directions, each of one level only; the last one stands for none.
    squares : ndarray of float64, shape (n_directions + 1,)
        Squared length of each direction, 0 of the last.
    """

    numbers: Values
    codes: Integers
    squares: Values

    @classmethod
    def from_numbers(cls, X: Values) -> CodedRecords:
        """Return records that have coordinates only, (n_records, n_attributes)."""
        return cls(X, np.zeros((X.shape[0], 0), dtype=np.int64), np.zeros(1))

    def select(self, records: Integers) -> CodedRecords:
        """Return some of the records, copied."""
        return CodedRecords(self.numbers[records], self.codes[records], self.squares)

    def to_coordinates(self) -> Values:
        """Return the same records with an indicator for each direction.

        Shape (n_records, n_numbers + n_directions).
        """
        n, directions = self.numbers.shape[0], self.squares.size - 1
        if directions == 0:
            return self.numbers
        found = np.zeros((n, directions + 1))
        np.put_along_axis(found, self.codes, np.sqrt(self.squares)[self.codes], axis=1)
        return np.hstack([self.numbers, found[:, :directions]])


class SearchView(NamedTuple):
    """Records as local search reads them.

    Attributes
    ----------
    coded : CodedRecords
        In which sums of squares are taken.
    seen : CodedRecords
        In which neighbours are looked for: categories are codes, however many.
    sketch : ndarray of float64, shape (n_records, n_attributes)
        One coordinate per attribute, numbers first, by which large tables are split.
    places : int
        How many of them are places of categories.
    """

    coded: CodedRecords
    seen: CodedRecords
    sketch: Values
    places: int

    @classmethod
    def from_numbers(cls, X: Values) -> SearchView:
        """Return records that have coordinates only, (n_records, n_attributes)."""
        coded = CodedRecords.from_numbers(X)
        return cls(coded, coded, X, 0)

    def select(self, records: Integers) -> SearchView:
        """Return some of the records, copied; shared arrays stay shared."""
        coded = self.coded.select(records)
        seen = coded if self.seen is self.coded else self.seen.select(records)
        sketch = coded.numbers
        if self.sketch is not self.coded.numbers:
            sketch = self.sketch[records]
        return SearchView(coded, seen, sketch, self.places)

    def centred(self) -> SearchView:
        """Return the records shifted by whole numbers, so that differences stay."""
        numbers = self.coded.numbers
        if numbers.shape[1]:
            numbers = numbers - np.rint(numbers.mean(axis=0))
        coded = self.coded._replace(numbers=numbers)
        seen = coded if self.seen is self.coded else self.seen
        whole = self.sketch is self.coded.numbers
        return SearchView(coded, seen, numbers if whole else self.sketch, self.places)


@kernel
def sq_dist_between(
    numbers: Values, codes: Integers, squares: Values, i: int, j: int
) -> float:
    """Return the squared distance of two records, given as in `CodedRecords`."""
    total = sq_dist_of_rows(numbers, i, numbers, j)
    for level in range(codes.shape[1]):
        a, b = codes[i, level], codes[j, level]
        if a != b:
            total += squares[a] + squares[b]
    return total


@kernel
def sq_dist_to_centre(
    numbers: Values, codes: Integers, centre: Values, fixed: Values, i: int, g: int
) -> float:
    """Return the squared distance of record i from the centroid of group g.

    Parameters
    ----------
    numbers, codes
        As in :class:`CodedRecords`.
    centre : ndarray of float64, shape (n_groups, n_numbers + n_directions + 1)
        Mean of the numbers, then w (1 - 2 s) of each direction.
    fixed : ndarray of float64, shape (n_groups,)
        Sum of w s^2 over the directions.
    i, g : int
    """
    total = sq_dist_of_rows(numbers, i, centre, g)
    if codes.shape[1] > 0:
        q, apart = numbers.shape[1], fixed[g]
        for level in range(codes.shape[1]):
            apart += centre[g, q + codes[i, level]]
        total += max(apart, 0.0)  # which rounding may have brought below
    return total


@kernel
def write_centre(
    numbers: Values,
    codes: Integers,
    squares: Values,
    members: Integers,
    size: int,
    centre: Values,
    fixed: Values,
    g: int,
) -> None:
    """Write the centroid of group g as :func:`sq_dist_to_centre` takes it.

    Parameters
    ----------
    numbers, codes, squares
        As in :class:`CodedRecords`.
    members : ndarray of int64, shape (n_groups, at least size)
    size : int
    centre, fixed : ndarray of float64
        Row g is written.
    g : int
    """
    q = numbers.shape[1]
    for j in range(q):
        total = 0.0
        for place in range(size):
            total += numbers[members[g, place], j]
        centre[g, j] = total / size
    if codes.shape[1] == 0:
        return
    for v in range(squares.shape[0]):
        centre[g, q + v] = squares[v]
    for place in range(size):
        for level in range(codes.shape[1]):
            v = codes[members[g, place], level]
            centre[g, q + v] -= 2.0 * squares[v] / size
    # sum w s^2 = sum over members and their directions of (w s) / size.
    total = 0.0
    for place in range(size):
        for level in range(codes.shape[1]):
            v = codes[members[g, place], level]
            total += squares[v] - centre[g, q + v]
    fixed[g] = 0.5 * total / size
