"""Encode coordinates that many records share as codes, to compute fewer distances.

Sixty categories are sixty coordinates, but only sixty different points in them. A
query works out once how far its point is from each of these, and then looks up, for
each record, what its code stands for: one step instead of sixty.

Sums are then taken in another order than coordinate by coordinate. So what is looked
up only rules records out, by a margin that covers rounding; what is left is measured
as everywhere else, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

MIN_CODED_COORDINATES = 4
"""Fewest coordinates for which a code is cheaper."""

MIN_RECORDS_PER_CODE = 4
"""Records per code at least, or else the codes cost what they save."""


class RepeatedCoordinates(NamedTuple):
    """Adjacent coordinates in which all records of one code are equal.

    Attributes
    ----------
    first : int
        The first coordinate.
    codes : ndarray of int64, shape (n_records,)
        0 .. n_codes - 1.
    corners : ndarray of float64, shape (n_codes, n_coordinates)
        What each code stands for.
    """

    first: int
    codes: Integers
    corners: Values


class RecordCodes(NamedTuple):
    """Codes of all records and their coordinates, as arrays for kernels.

    Attributes
    ----------
    uncoded : ndarray of int64, shape (n_uncoded,)
        Coordinates without a code.
    codes : ndarray of int64, shape (n_records, n_coded)
        Codes numbered through over all coded columns, read-only.
    spans : ndarray of int64, shape (n_coded, 5)
        Of each column the first coordinate, how many, its first code, how many, and
        where its `corners` begin.
    corners : ndarray of float64
        Of each coded column the coordinates one after another, each for all codes.
    n_codes : int
        Codes of all columns together.
    """

    uncoded: Integers
    codes: Integers
    spans: Integers
    corners: Values
    n_codes: int


def encode_repeated_coordinates(
    X: Values, repeated_coordinates: Sequence[RepeatedCoordinates]
) -> RecordCodes:
    """Return records' codes for repeated coordinates in which these may save time.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    repeated_coordinates : sequence of RepeatedCoordinates
    """
    n, p = X.shape
    chosen = [
        coordinates
        for coordinates in repeated_coordinates
        if coordinates.corners.shape[1] >= MIN_CODED_COORDINATES
        and MIN_RECORDS_PER_CODE * len(coordinates.corners) <= n
    ]
    uncoded = np.ones(p, dtype=np.bool_)
    codes = np.zeros((n, len(chosen)), dtype=np.int64)
    spans = np.zeros((len(chosen), 5), dtype=np.int64)
    start = at = 0
    for c, coordinates in enumerate(chosen):
        count, width = coordinates.corners.shape
        uncoded[coordinates.first : coordinates.first + width] = False
        codes[:, c] = start + coordinates.codes
        spans[c] = coordinates.first, width, start, count, at
        start, at = start + count, at + count * width
    corners = [
        np.zeros(0),
        *(coordinates.corners.T.reshape(-1) for coordinates in chosen),
    ]
    codes.flags.writeable = False
    places = np.flatnonzero(uncoded).astype(np.int64)
    return RecordCodes(places, codes, spans, np.concatenate(corners), start)


@kernel
def write_code_sq_dists(
    spans: Integers, corners: Values, point: Values, code_sq_dists: Values
) -> None:
    """Write the squared distance of a point from each code's coordinates.

    Parameters
    ----------
    spans, corners
        As in :class:`RecordCodes`.
    point : ndarray of float64, shape (n_attributes,)
    code_sq_dists : ndarray of float64, shape (n_codes,)
        Receives squared distances in the coded coordinates.
    """
    for place in range(code_sq_dists.shape[0]):
        code_sq_dists[place] = 0.0
    for c in range(spans.shape[0]):
        first, width, start, count, at = spans[c]
        for step in range(width):
            value, offset = point[first + step], at + step * count
            for code in range(count):
                difference = corners[offset + code] - value
                code_sq_dists[start + code] += difference * difference


@kernel
def summation_rounding(n_terms: int) -> float:
    """Return a bound, as a factor, on how two sums of `n_terms` squares can differ.

    Each of the `n_terms` + 2 roundings of a sum of numbers that are not negative moves
    it by a share of 2^-53 at most, so that two sums differ by less than twice that; and
    where squares vanish below the smallest number, both sums do so alike.
    """
    return 1.0 + 4.0 * (n_terms + 8) * 2.220446049250313e-16


@kernel
def sq_dist_to_point(X: Values, i: int, point: Values) -> float:
    """Return the squared distance of record i from a point, summed in fixed order."""
    total = 0.0
    for j in range(point.shape[0]):
        difference = X[i, j] - point[j]
        total += difference * difference
    return total
