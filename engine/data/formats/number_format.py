"""Number formats of columns: signs, digit groups, decimals and units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd

Negative = Literal["-", "\u2212", "trailing", "parentheses"]
"""How numbers below zero are written: -5, \u22125, 5- or (5)."""


@dataclass(frozen=True)
class NumberFormat:
    """Signs, digit groups, decimals and units with which numbers are written.

    Attributes
    ----------
    decimal : {".", ","}
    group : str
        Between groups of digits; empty for none.
    indian : bool
        Whether only the last group has three digits and the others two.
    ungrouped : int
        Whole numbers of up to so many digits have no groups: 3, or 4 as in Spanish.
    decimals : int
        That every number has at least; -1 where numbers have as many as they need.
    whole_decimals : int
        That whole numbers have, where it is another number; -1 otherwise.
    prefix, suffix : str
        Units, with the blanks between them and the number.
    negative : {"-", "\u2212", "trailing", "parentheses"}
    plus : bool
        Whether numbers above zero have a sign.
    sign_first : bool
        Whether the sign stands before the prefix.
    singular : str
        The suffix of a one; empty where it is that of all others.
    scales : tuple of (str, int)
        Suffixes with their powers of ten, the largest first, where numbers have
        several; empty where they have one.

    Examples
    --------
    >>> NumberFormat(",", ".", decimals=2, suffix=" \u20ac").format_number(-1978593.18)
    '-1.978.593,18 \u20ac'
    >>> NumberFormat(prefix="$", scales=(("M", 6), ("K", 3))).format_number(56_700_000)
    '$56.7M'
    """

    decimal: str = "."
    group: str = ""
    indian: bool = False
    ungrouped: int = 3
    decimals: int = -1
    prefix: str = ""
    suffix: str = ""
    negative: Negative = "-"
    plus: bool = False
    sign_first: bool = True
    singular: str = ""
    scales: tuple[tuple[str, int], ...] = ()
    whole_decimals: int = -1

    @property
    def has_unit(self) -> bool:
        """Whether the numbers are written with a unit."""
        return bool(self.prefix.strip() or self.suffix.strip() or self.scales)

    def format_number(self, value: float) -> str:
        """Return a number as text, with all its digits."""
        if not math.isfinite(value):
            return str(value)
        digits, suffix = _shortest_decimal(abs(value)), self.suffix
        if self.scales:
            suffix, power = self._scale(abs(value))
            digits = format(Decimal(digits).scaleb(-power), "f")
        elif self.singular and value == 1:
            suffix = self.singular
        whole, _, fraction = digits.partition(".")
        fraction = fraction.rstrip("0")
        least = self.decimals
        if not fraction and self.whole_decimals >= 0:
            least = self.whole_decimals
        fraction = fraction.ljust(max(least, 0), "0")
        if self.group and len(whole) > self.ungrouped:
            whole = self.group.join(_digit_groups(whole, self.indian))
        number = f"{whole}{self.decimal}{fraction}" if fraction else whole
        below = value < 0
        sign = "+" if self.plus and value > 0 else ""
        if below and self.negative in ("-", "\u2212"):
            sign = self.negative
        if self.sign_first:
            text = f"{sign}{self.prefix}{number}{suffix}"
        else:
            text = f"{self.prefix}{sign}{number}{suffix}"
        if below and self.negative == "parentheses":
            return f"({text})"
        return f"{text}-" if below and self.negative == "trailing" else text

    def _scale(self, value: float) -> tuple[str, int]:
        """Return the largest scale in which a number is at least one, else the last."""
        fits = (scale for scale in self.scales if value >= 10.0 ** scale[1])
        return next(fits, self.scales[-1])

    def format_column(self, column: pd.Series) -> pd.Series:
        """Return a column of numbers as text; missing values stay missing."""
        codes, cells = pd.factorize(column)
        texts = np.array([*map(self.format_number, cells.tolist()), None], dtype=object)
        return pd.Series(texts[codes], column.index, dtype="str")

    def to_json(self) -> dict[str, Any]:
        """Return the settings that differ from the default, ready for JSON."""
        usual = asdict(NumberFormat())
        return {
            name: value for name, value in asdict(self).items() if value != usual[name]
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> NumberFormat:
        """Return the format that :meth:`to_json` wrote."""
        scales = tuple((unit, power) for unit, power in content.get("scales", ()))
        return cls(**{**content, "scales": scales})


def _shortest_decimal(value: float) -> str:
    """Return the shortest decimal that tells a number from all others."""
    if isinstance(value, int):
        return str(value)
    return np.format_float_positional(value, trim="-")


def _digit_groups(digits: str, indian: bool) -> Sequence[str]:
    last, size = digits[-3:], 2 if indian else 3
    rest, groups = digits[:-3], [last]
    while rest:
        groups.insert(0, rest[-size:])
        rest = rest[:-size]
    return groups
