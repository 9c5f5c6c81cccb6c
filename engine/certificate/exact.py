"""Whole numbers of a table, as a certificate holds them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from engine.core.typing import Values
from engine.points.base import Points

BITS = 44
"""Precision of what a column counts: less than 1e-13 of it is lost."""


@dataclass(frozen=True)
class WholeColumn:
    """One quasi-identifier in whole numbers.

    Attributes
    ----------
    name : str
    denominator : int
        By what they are to be divided, a power of 10.
    values : list of int
    weight : Fraction
        How much its squared distances count.
    """

    name: str
    denominator: int
    values: list[int]
    weight: Fraction

    def factor(self, scaling: str) -> Fraction:
        """Return what the squared difference of two values counts."""
        n, some = len(self.values), self.values
        if scaling == "none":
            return self.weight / self.denominator**2
        if scaling == "range":
            spread = Fraction((max(some) - min(some)) ** 2)
        else:
            squares = n * sum(x * x for x in some) - sum(some) ** 2
            spread = Fraction(squares, n * n)
        return self.weight / spread if spread else Fraction(0)


def whole_columns(points: Points) -> list[WholeColumn]:
    """Return the quasi-identifiers in whole numbers, shortest decimals that they are.

    Parameters
    ----------
    points : Points
        Of numbers, one coordinate each.
    """
    weights = points.space.weights.tolist()
    return [
        _whole(name, values, Fraction(weight))
        for name, values, weight in zip(
            points.names, points.values.T, weights, strict=True
        )
    ]


def _whole(name: str, values: Values, weight: Fraction) -> WholeColumn:
    if (np.floor(values) == values).all():
        return WholeColumn(name, 1, [int(x) for x in values.tolist()], weight)
    numbers = [Decimal(repr(x)) for x in values.tolist()]
    places = max(-int(number.as_tuple().exponent) for number in numbers)
    scaled = [int(Fraction(number) * 10**places) for number in numbers]
    return WholeColumn(name, 10**places, scaled, weight)


def unit_of(factors: list[Fraction]) -> int:
    """Return the number M by which factors are multiplied before they are rounded."""
    least = min(factor for factor in factors if factor > 0)
    return 1 << max(0, BITS + (least.denominator // least.numerator).bit_length())


def scaled(value: float, unit: int, up: bool = False) -> int:
    """Return a number times a unit, rounded down or up."""
    number = Fraction(value) * unit
    return -(-number.numerator // number.denominator) if up else int(number // 1)
