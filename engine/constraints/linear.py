"""Exact linear rules: equations, bounds of one column, and inequalities."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

RELATIVE_TOLERANCE = 1e-9
"""An equation holds when its sides differ by less, relative to their terms' size."""

Row = tuple[tuple[Fraction, ...], Fraction]
"""Factor of each column, and the constant."""


@dataclass(frozen=True)
class Equation:
    """Linear equation ``sum of factors * columns = constant``.

    Attributes
    ----------
    text : str
    factors : tuple of Fraction, one per column
    constant : Fraction
    """

    text: str
    factors: tuple[Fraction, ...]
    constant: Fraction

    @property
    def support(self) -> tuple[int, ...]:
        """Positions of the columns in the equation."""
        return tuple(j for j, factor in enumerate(self.factors) if factor)


@dataclass(frozen=True)
class Bound:
    """Bounds of one column, ``low <= column <= high``, with None for no bound.

    Attributes
    ----------
    text : str
    column : int
        Its position.
    low, high : Fraction or None
    """

    text: str
    column: int
    low: Fraction | None
    high: Fraction | None

    @property
    def support(self) -> tuple[int, ...]:
        """Position of the bounded column, as a tuple."""
        return (self.column,)


@dataclass(frozen=True)
class Inequality:
    """Linear inequalities ``sum of factors * columns <= constant``, one for each row.

    Attributes
    ----------
    text : str
    rows : tuple of (factors, constant)
        More than one for a chain, as in ``0 <= net <= gross``.
    """

    text: str
    rows: tuple[Row, ...]

    @property
    def support(self) -> tuple[int, ...]:
        """Positions of the columns in the inequality."""
        columns = {j for factors, _ in self.rows for j, f in enumerate(factors) if f}
        return tuple(sorted(columns))


Linear = Equation | Bound | Inequality
