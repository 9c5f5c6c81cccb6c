"""Records with category codes in place of indicators, with equal distances.

A category of sixty is sixty indicators of which one is 1. Instead of them a record has
one code for each level of the column's hierarchy: the direction (see
:mod:`engine.points.branches`) that it lies below there. With w the squared length of a
direction, two records whose codes differ at a level are w + w' farther apart, squared,
and the centroid of a group in which a share s of the records has each direction is

    sum w s^2 + sum over the record's own directions of w (1 - 2 s)

away, squared: constants of the group, and one look-up for each level. So sixty
categories cost what two do.

Records without categories have None for codes, so that kernels are compiled for them
without a trace of categories: an array of no levels would cost tables of numbers a
tenth to three times what a distance costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import inlined_kernel, kernel
from engine.kernels.records.distance import MIN_UNROLLED_COORDINATES, sq_dist_of_rows


class CodedRecords(NamedTuple):
    """Records as numeric coordinates and category codes.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n_records, n_numbers)
        Coordinates, C-contiguous.
    codes : ndarray of int64, shape (n_records, n_levels), or None
        Directions, each of one level only; code n_directions stands for no direction.
        None where there are numbers only.
    sq_len : ndarray of float64, shape (n_directions + 1,)
        Squared length of each direction, 0 of the last.
    """

    numbers: Values
    codes: Integers | None
    sq_len: Values

    @classmethod
    def from_numbers(cls, X: Values) -> CodedRecords:
        """Return records with numeric coordinates only, (n_records, n_attributes)."""
        return cls(X, None, np.zeros(1))

    def select(self, records: Integers) -> CodedRecords:
        """Return some of the records, copied."""
        codes = None if self.codes is None else self.codes[records]
        return CodedRecords(self.numbers[records], codes, self.sq_len)

    def to_coordinates(self) -> Values:
        """Return the records with an indicator coordinate for each direction.

        Shape (n_records, n_numbers + n_directions).
        """
        n, directions = self.numbers.shape[0], self.sq_len.size - 1
        if self.codes is None:
            return self.numbers
        indicators = np.zeros((n, directions + 1))
        np.put_along_axis(
            indicators, self.codes, np.sqrt(self.sq_len)[self.codes], axis=1
        )
        return np.hstack([self.numbers, indicators[:, :directions]])


class SearchRecords(NamedTuple):
    """Records in the forms that local search uses: codes, neighbours, sketch.

    Attributes
    ----------
    coded : CodedRecords
        Records for SSE: only categories whose directions were all kept are codes.
    seen : CodedRecords
        Records for neighbour lists: categories are codes, unless some are missing.
    sketch : ndarray of float64, shape (n_records, n_attributes)
        Coordinates by which large tables are split; with codes, one per attribute.
    places : int
        How many coordinates of `sketch`, the last ones, are places of categories.
    """

    coded: CodedRecords
    seen: CodedRecords
    sketch: Values
    places: int

    @classmethod
    def from_numbers(cls, X: Values) -> SearchRecords:
        """Return the view of records with numeric coordinates only."""
        coded = CodedRecords.from_numbers(X)
        return cls(coded, coded, X, 0)

    def select(self, records: Integers) -> SearchRecords:
        """Return some of the records, copied; shared arrays stay shared."""
        coded = self.coded.select(records)
        seen_records = coded if self.seen is self.coded else self.seen.select(records)
        sketch = coded.numbers
        if self.sketch is not self.coded.numbers:
            sketch = self.sketch[records]
        return SearchRecords(coded, seen_records, sketch, self.places)

    def centred(self) -> SearchRecords:
        """Return the records with `coded` shifted by whole numbers towards mean 0."""
        numbers = self.coded.numbers
        if numbers.shape[1]:
            numbers = numbers - np.rint(numbers.mean(axis=0))
        coded = self.coded._replace(numbers=numbers)
        seen_records = coded if self.seen is self.coded else self.seen
        whole = self.sketch is self.coded.numbers
        return SearchRecords(
            coded, seen_records, numbers if whole else self.sketch, self.places
        )


@kernel
def sq_dist_between(
    numbers: Values, codes: Integers | None, sq_len: Values, i: int, j: int
) -> float:
    """Return the squared distance of records i and j, given as in `CodedRecords`."""
    total = sq_dist_of_rows(numbers, i, numbers, j)
    if codes is not None:
        for level in range(codes.shape[1]):
            a, b = codes[i, level], codes[j, level]
            if a != b:
                total += sq_len[a] + sq_len[b]
    return total


@inlined_kernel
def sq_dist_to_centre(
    numbers: Values,
    codes: Integers | None,
    centre: Values,
    code_sum: Values,
    i: int,
    g: int,
) -> float:
    """Return the squared distance of record i from the centroid of group g.

    Parameters
    ----------
    numbers, codes
        As in :class:`CodedRecords`.
    centre : ndarray of float64, shape (n_groups, n_numbers + n_directions + 1)
        Mean of the numbers, then w (1 - 2 s) of each direction.
    code_sum : ndarray of float64, shape (n_groups,)
        Sum of w s^2 over the directions.
    i, g : int
    """
    total = sq_dist_of_rows(numbers, i, centre, g)
    if codes is not None:
        total += _coded_sq_dist(codes, centre, code_sum, numbers.shape[1], i, g)
    return total


@kernel
def _coded_sq_dist(
    codes: Integers, centre: Values, code_sum: Values, q: int, i: int, g: int
) -> float:
    """Return what codes add to a record's squared distance from a centroid."""
    sq_dist = code_sum[g]
    for level in range(codes.shape[1]):
        sq_dist += centre[g, q + codes[i, level]]
    return float(max(sq_dist, 0.0))  # which rounding may have brought below


@kernel
def gather_member_columns(
    numbers: Values, members: Integers, size: int, g: int, columns: Values
) -> None:
    """Copy the numbers of a group's members into the columns of an array.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n_records, n_numbers)
    members : ndarray of int64, shape (n_groups, at least size)
    size, g : int
    columns : ndarray of float64, shape (n_numbers, width)
        Receives a member per column; columns from `size` on are left as they are.
    """
    for place in range(size):
        i = members[g, place]
        for j in range(numbers.shape[1]):
            columns[j, place] = numbers[i, j]


@inlined_kernel
def write_sq_dists_to_centre(
    numbers: Values,
    codes: Integers | None,
    members: Integers,
    size: int,
    a: int,
    columns: Values,
    centre: Values,
    code_sum: Values,
    g: int,
    sq_dists: Values,
) -> None:
    """Write squared distances of group a's members from the centroid of group g.

    They are those of :func:`sq_dist_to_centre` to the last bit: each is summed in the
    order of the attributes, eight of them side by side.

    Parameters
    ----------
    numbers, codes, members, size, a
        As in :class:`CodedRecords` and, with `a` for g, :func:`gather_member_columns`.
    columns : ndarray of float64, shape (n_numbers, width)
        The members, as gathered by it; the width is a multiple of 8.
    centre, code_sum, g
        As in :func:`sq_dist_to_centre`.
    sq_dists : ndarray of float64, shape (width,)
        Receives the squared distances of the members, and any numbers from `size` on.
    """
    p = numbers.shape[1]
    if p >= MIN_UNROLLED_COORDINATES:
        for place in range(size):
            i = members[a, place]
            sq_dists[place] = sq_dist_to_centre(numbers, codes, centre, code_sum, i, g)
        return
    for first in range(0, size, 8):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        for j in range(p):
            value = centre[g, j]
            d0 = columns[j, first] - value
            d1 = columns[j, first + 1] - value
            d2 = columns[j, first + 2] - value
            d3 = columns[j, first + 3] - value
            d4 = columns[j, first + 4] - value
            d5 = columns[j, first + 5] - value
            d6 = columns[j, first + 6] - value
            d7 = columns[j, first + 7] - value
            s0 += d0 * d0
            s1 += d1 * d1
            s2 += d2 * d2
            s3 += d3 * d3
            s4 += d4 * d4
            s5 += d5 * d5
            s6 += d6 * d6
            s7 += d7 * d7
        sq_dists[first], sq_dists[first + 1] = s0, s1
        sq_dists[first + 2], sq_dists[first + 3] = s2, s3
        sq_dists[first + 4], sq_dists[first + 5] = s4, s5
        sq_dists[first + 6], sq_dists[first + 7] = s6, s7
    if codes is not None:
        for place in range(size):
            i = members[a, place]
            sq_dists[place] += _coded_sq_dist(codes, centre, code_sum, p, i, g)


@kernel
def write_centroid_terms(
    numbers: Values,
    codes: Integers | None,
    sq_len: Values,
    members: Integers,
    size: int,
    centre: Values,
    code_sum: Values,
    g: int,
) -> None:
    """Write the centroid of group g in the form of :func:`sq_dist_to_centre`.

    Parameters
    ----------
    numbers, codes, sq_len
        As in :class:`CodedRecords`.
    members : ndarray of int64, shape (n_groups, at least size)
    size : int
    centre, code_sum : ndarray of float64
        Row g is written.
    g : int
    """
    q = numbers.shape[1]
    for j in range(q):
        total = 0.0
        for place in range(size):
            total += numbers[members[g, place], j]
        centre[g, j] = total / size
    if codes is None:
        return
    for v in range(sq_len.shape[0]):
        centre[g, q + v] = sq_len[v]
    for place in range(size):
        for level in range(codes.shape[1]):
            v = codes[members[g, place], level]
            centre[g, q + v] -= 2.0 * sq_len[v] / size
    # sum w s^2 = sum over members and their directions of (w s) / size.
    total = 0.0
    for place in range(size):
        for level in range(codes.shape[1]):
            v = codes[members[g, place], level]
            total += sq_len[v] - centre[g, q + v]
    code_sum[g] = 0.5 * total / size
