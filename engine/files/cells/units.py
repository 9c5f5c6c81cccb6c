"""Detect units and magnitudes written with numbers: $, 12 kg, 56.7M, 3 years.

A column has one unit, whatever it is called, or several of one family, which differ by
powers of ten; a unit may have another form beside a one (1 year, 2 years).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

SPACE_SIGNS = " \u00a0\u202f\u2009"

CURRENCIES = (
    r"US\$|R\$|C\$|A\$|NT\$|HK\$|S\$|MX\$|\u20ac|\$|\u00a3|\u00a5|\u20b9|\u20a9|\u20aa"
    r"|\u20ba|\u20bd|kr\.?|z\u0142|K\u010d|Fr\.?|Ft|lei|Rs\.?|RM"
    r"|EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|HUF|RON|ISK|TRY|RUB|JPY|CNY|RMB|KRW|INR|BRL"
    r"|MXN|CAD|AUD|NZD|SGD|HKD|ZAR|ILS|THB|MYR"
)
"""Regular expression of currencies, before an amount or after it."""

PREFIXES = rf"{CURRENCIES}|%|\u2030"

_SHORT_UNITS = (
    rf"{PREFIXES}|T\u20ac|k\u20ac|[gtmlhskKMBTWVA]|\u00b0C?|m[\u00b2\u00b3]"
    r"|[\u4e00-\u9fff]"
)
"""Units of one letter, or with signs."""

_LETTER_PATTERN = r"[^\W\d_]"
_WORD_UNIT = rf"[\u00b5\u00b0]?{_LETTER_PATTERN}{{2,}}[.\u00b2\u00b323]?"
_UNIT_PATTERN = rf"(?:{_WORD_UNIT}|{_SHORT_UNITS})"
SUFFIXES = rf"{_UNIT_PATTERN}(?:(?:/| |\u00b7){_UNIT_PATTERN}){{0,2}}"
"""Regular expression of a unit, such as ``mg/dl``, ``Mio. EUR`` or ``km per hour``."""

_NO_UNITS = frozenset(
    (
        *("st", "nd", "rd", "th", "er", "re", "\u00e8me", "eme", "ste", "de"),
        *("am", "pm", "bc", "ad", "bce", "ce", "\u53f7", "\u5ba4", "\u5ea7"),
    )
)
"""What makes a number a rank, an hour, a day, a year or an address."""

_LETTERS_OF_CODES = frozenset("TVWA")
"""Short for units, if the number is an amount of money or has decimals."""

_NUMBER_ONE_PATTERN = re.compile(r"1([.,]0+)?")

_MAGNITUDE_FACTORS = {
    **dict.fromkeys(("k", "K", "Tsd.", "Tsd", "thousand"), 3),
    **dict.fromkeys(
        ("M", "m", "mn", "Mn", "mln", "Mio.", "Mio", "mil", "million", "millions"), 6
    ),
    **dict.fromkeys(
        ("B", "b", "bn", "Bn", "mld", "Mrd.", "Mrd", "billion", "billions"), 9
    ),
    **dict.fromkeys(("T", "tn", "trillion", "trillions"), 12),
    "": 0,
    "lakh": 5,
    "crore": 7,
    "\u4e07": 4,
    "\u4ebf": 8,
}
FAMILIES: tuple[Mapping[str, int], ...] = (
    _MAGNITUDE_FACTORS,
    {"mm": -3, "cm": -2, "m": 0, "km": 3},
    {"\u00b5g": -6, "mg": -3, "g": 0, "kg": 3, "t": 6},
    {"ml": -3, "cl": -2, "dl": -1, "l": 0, "L": 0, "hl": 2},
    {"B": 0, "kB": 3, "KB": 3, "MB": 6, "GB": 9, "TB": 12},
    {"W": 0, "kW": 3, "MW": 6, "GW": 9},
)
"""Units of one column that differ by powers of ten, and which."""


@dataclass(frozen=True)
class ColumnUnits:
    """Units of a column, with the blanks between them and the number.

    Attributes
    ----------
    prefix, suffix : str
    singular : str
        The suffix of a one; empty where it is that of all others.
    scales : tuple of (str, int)
        Suffixes with their powers of ten, the largest first; empty for one suffix.
    """

    prefix: str = ""
    suffix: str = ""
    singular: str = ""
    scales: tuple[tuple[str, int], ...] = ()


def find_column_units(matches: Sequence[re.Match[str]]) -> ColumnUnits | None:
    """Return the units in matches of a column's cells; None if they clash or are none.

    Parameters
    ----------
    matches : sequence of re.Match
        Of cells, with groups ``prefix``, ``number`` and ``suffix``.
    """
    prefixes = Counter(match["prefix"] for match in matches)
    suffixes = Counter(match["suffix"] for match in matches)
    if len({text.strip() for text in prefixes}) > 1:
        return None
    prefix, units = prefixes.most_common(1)[0][0], {text.strip() for text in suffixes}
    if any(unit.casefold().split(" ")[0] in _NO_UNITS for unit in units):
        return None
    is_measured = prefix.strip() or any(
        {".", ","} & {*match["number"]} for match in matches
    )
    if units <= _LETTERS_OF_CODES and units and not is_measured:
        return None
    usual = {
        unit: next(text for text, _ in suffixes.most_common() if text.strip() == unit)
        for unit in units
    }
    if len(units) == 1:
        return ColumnUnits(prefix, usual[units.pop()])
    ones, others = (
        {
            m["suffix"].strip()
            for m in matches
            if bool(_NUMBER_ONE_PATTERN.fullmatch(m["number"])) is is_one
        }
        for is_one in (True, False)
    )
    if len(ones) == len(others) == 1 and _are_singular_and_plural(*ones, *others):
        return ColumnUnits(prefix, usual[others.pop()], usual[ones.pop()])
    powers = _find_powers_of_ten(units)
    if powers is None:
        return None
    scales = sorted(((usual[unit], power) for unit, power in powers.items()), key=_size)
    return ColumnUnits(prefix, scales=tuple(scales))


def _size(scale: tuple[str, int]) -> int:
    return -scale[1]


def _are_singular_and_plural(singular: str, plural: str) -> bool:
    """Return whether two units seem to be forms of one word, as year and years."""
    is_near = abs(len(singular) - len(plural)) <= 2
    return bool(singular) and singular[:2] == plural[:2] and is_near


def _find_powers_of_ten(units: Collection[str]) -> Mapping[str, int] | None:
    """Return the power of ten of each unit; None if they are of no family."""
    tails = {unit.partition(" ")[2] for unit in units} - {""}
    if len(tails) > 1:
        return None
    tail = tails.pop() if tails else ""
    words = {
        unit: "" if unit == tail else unit.removesuffix(f" {tail}") for unit in units
    }
    for family in FAMILIES:
        powers = {unit: family[word] for unit, word in words.items() if word in family}
        # Of two words for one power nobody could tell which one is to be written.
        if len(powers) == len(units) == len({*powers.values()}):
            return powers
    return None
