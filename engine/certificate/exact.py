"""Integer columns of a certificate, coordinates from them, and rounding of factors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from engine.core.typing import Booleans, Integers, Values
from engine.data.kinds import MissingPolicy
from engine.points.base import Points
from engine.points.branches import CategoryCoordinates

FACTOR_BITS = 44
"""Precision of what a column counts: less than 1e-13 of it is lost."""


@dataclass(frozen=True)
class IntegerColumn:
    """One column as integers over a denominator; None for gaps, a text for filled ones.

    Attributes
    ----------
    name : str
    denominator : int
        Divisor of the values, a power of 10; 1 for categories.
    values : sequence of int, str or None
        Numbers, or places among the categories; None for a gap that stays, and what
        fills it for another.
    weight : Fraction
        How much its squared distances count.
    categories : list of str or None
        Categories that the table has; None for numbers.
    branches : list of (int, list of int) or None
        Length of each branch of their hierarchy, and the categories below it.
    """

    name: str
    denominator: int
    values: Sequence[int | str | None]
    weight: Fraction
    categories: list[str] | None = None
    branches: list[tuple[int, list[int]]] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the column as a certificate contains it."""
        return {
            "name": self.name,
            "weight": str(self.weight),
            "denominator": str(self.denominator),
            "read": True,
            "categories": self.categories,
            "branches": self.branches,
            "missing": [],
            "values": list(map(_json_integer, self.values)),
        }

    def with_missing(
        self, gaps: Booleans, filled: Booleans, fill: str
    ) -> IntegerColumn:
        """Return the column with gaps inserted, or filled by median or mode.

        Parameters
        ----------
        gaps, filled : ndarray of bool, shape (n_records,)
            Cells that lack a value, and those of them that are filled.
        fill : str
            With what: the median, which may lie between two numbers, or the mode.
        """
        numbers = sorted(x for x in self.values if isinstance(x, int))
        middle = numbers[(len(numbers) - 1) // 2] + numbers[len(numbers) // 2]
        finer = 10 if fill == "median" and filled.any() and middle % 2 else 1
        values: list[int | str | None] = [None] * gaps.size
        for i in np.flatnonzero(filled).tolist():
            values[i] = fill
        for i, value in zip(np.flatnonzero(~gaps).tolist(), self.values, strict=True):
            values[i] = value * finer if isinstance(value, int) else value
        return replace(self, denominator=self.denominator * finer, values=values)


def _json_integer(number: int | str | None) -> int | str | None:
    """Return a number as JSON holds it without loss in every language."""
    if not isinstance(number, int) or abs(number) < 2**53:
        return number
    return str(number)


def integer_columns(
    points: Points, policies: Mapping[str, MissingPolicy]
) -> list[IntegerColumn]:
    """Return each quasi-identifier as an `IntegerColumn`, with gaps and fills marked.

    Parameters
    ----------
    policies : mapping of str to policy
        What becomes of missing values, by column.
    """
    result = []
    for j, weight in enumerate(points.space.weights.tolist()):
        name, branches = points.names[j], points.space.branches[j]
        filled = np.isin(points.rows, points.filled.get(name, ()))
        gaps = points.missing[:, j] | filled
        values = points.values[~gaps, j]
        if branches is None:
            column = make_integer_column(name, values, Fraction(weight))
        else:
            codes = values.astype(np.int64)
            column = _category_column(name, codes, branches, Fraction(weight))
        numbers = branches is None and policies[name] != "mode"
        fill = "median" if numbers else "mode"
        result.append(column.with_missing(gaps, filled, fill) if gaps.any() else column)
    return result


def _category_column(
    name: str, codes: Integers, branches: CategoryCoordinates, weight: Fraction
) -> IntegerColumn:
    present, values = np.unique(codes, return_inverse=True)
    ways = branches.ways[present]
    lengths = np.rint(branches.lengths * branches.scale**2).astype(np.int64)
    below = [
        (length, np.flatnonzero((ways == number).any(axis=1)).tolist())
        for number, length in enumerate(lengths.tolist())
        if (ways == number).any()
    ]
    texts = [branches.tree.leaves[leaf] for leaf in present.tolist()]
    return IntegerColumn(name, 1, values.reshape(-1).tolist(), weight, texts, below)


def make_integer_column(name: str, values: Values, weight: Fraction) -> IntegerColumn:
    """Return a column of numbers as integers over a common power of 10."""
    if (np.floor(values) == values).all():
        return IntegerColumn(name, 1, [int(x) for x in values.tolist()], weight)
    numbers = [Decimal(repr(x)) for x in values.tolist()]
    places = max(-int(number.as_tuple().exponent) for number in numbers)
    scaled = [int(Fraction(number) * 10**places) for number in numbers]
    return IntegerColumn(name, 10**places, scaled, weight)


def coordinates_from_integers(
    points: Points,
    parts: Sequence[Sequence[tuple[list[int | None], Fraction]]],
    kept_records: Integers,
) -> Values:
    """Return coordinates, the numeric ones computed from exact integer differences.

    Far from 0, the numbers of a table are too coarse for what a proof says of them.

    Parameters
    ----------
    points : Points
        Points of the records that stay.
    parts : sequence of sequence of (values, factor)
        Values and factors of each column of the certificate, of records that count.
    kept_records : ndarray of int64, shape (n_records,)
        Places of the records that stay among those that count.

    Returns
    -------
    ndarray of float64, shape (n_records, n_coordinates)
    """
    X = points.X.copy()
    for j in np.flatnonzero(points.numeric).tolist():
        ((values, factor),) = parts[j]
        some = [values[i] for i in kept_records.tolist()]
        start = next((x for x in some if x is not None), 0)
        differences = [0 if x is None else x - start for x in some]
        size = max(1, max(map(abs, differences)))
        shares = np.array([x / size for x in differences])
        X[:, points.space.offsets[j]] = shares * math.sqrt(factor * size**2)
    return X


def choose_factor_multiplier(factors: list[Fraction]) -> int:
    """Return the power of 2 by which factors are multiplied before they are rounded."""
    min_factor = min(factor for factor in factors if factor > 0)
    return 1 << max(
        0, FACTOR_BITS + (min_factor.denominator // min_factor.numerator).bit_length()
    )


def multiply_to_integer(value: float, factor: int, round_up: bool = False) -> int:
    """Return a number times a factor, rounded down or up to an integer."""
    number = Fraction(value) * factor
    return -(-number.numerator // number.denominator) if round_up else int(number // 1)
