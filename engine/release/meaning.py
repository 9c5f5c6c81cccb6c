"""What cells of files say, whatever the format: a number, a moment, a text or nothing.

Cells are read here once more, apart from the readers of tables, so that two files can
be compared without believing either of them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import pandas as pd

from engine.data.date_format import DateFormat
from engine.data.table import Origin


@dataclass(frozen=True)
class Reading:
    """How the cells of one column of the file that came in are to be understood.

    Attributes
    ----------
    decimal : {".", ","}
    form : mapping or None
        How people have written the column, as JSON holds it.
    missing : frozenset
        What words and codes for a missing value say by themselves.
    single : bool
        Whether its numbers have 32 bits.
    """

    decimal: str = "."
    form: Mapping[str, Any] | None = None
    missing: frozenset[object] = frozenset()
    single: bool = False

    @classmethod
    def of(cls, origin: Origin, name: str, single: bool = False) -> Reading:
        """Return how a column of a file was read."""
        options = origin.options
        form = options.get("forms", {}).get(name)
        said = [options.get(key, {}).get(name, ()) for key in ("words", "missing")]
        decimal = options.get("decimal", ".")
        return cls(
            decimal,
            form if isinstance(form, Mapping) else None,
            frozenset(meaning(word, decimal) for each in said for word in each),
            single,
        )

    def same(self, one: Any, other: Any) -> bool:
        """Return whether two cells say the same.

        Parameters
        ----------
        one, other : object
            Of the file that came in, and of the one that leaves.
        """
        before, after = meaning(one, self.decimal), meaning(other, ".")
        if before == after:
            return True
        if after is None:
            said = before.strip() if isinstance(before, str) else before
            return said in self.missing
        if self.single and isinstance(before, Decimal) and isinstance(after, Decimal):
            return bool(np.float32(before) == np.float32(after))
        if self.form is None or not isinstance(one, str):
            return False
        if "pattern" in self.form:
            return _same_date(one, after, DateFormat.from_json(self.form))
        return _written_number(one, self.form) == after


def say_the_same(a: Sequence[Any], b: Sequence[Any], reading: Reading) -> bool:
    """Return whether all cells of two columns say the same.

    Parameters
    ----------
    a, b : sequence of object, length n_records
        Of the file that came in, and of the one that leaves.
    reading : Reading
        How the first is to be understood.
    """
    seen: dict[tuple[str, str], bool] = {}
    for one, other in zip(a, b, strict=True):
        key = repr(one), repr(other)
        if key not in seen:
            seen[key] = reading.same(one, other)
        if not seen[key]:
            return False
    return True


_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]*|(?=\.))(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def meaning(cell: Any, decimal: str) -> object:
    """Return the number, moment, truth or text that a cell says; None for nothing."""
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return None
    if isinstance(cell, bool | np.bool_):
        return Decimal(int(cell))
    if isinstance(cell, float | np.floating):
        return None if np.isnan(cell) else _number(repr(float(cell)))
    if isinstance(cell, int | np.integer | Decimal):
        return _number(str(cell))
    if isinstance(cell, datetime.datetime | datetime.date):
        return _instant(pd.Timestamp(cell))
    if isinstance(cell, datetime.time):
        cell = cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return str(pd.Timedelta(cell))
    if isinstance(cell, bytes):
        cell = cell.hex()
    text = str(cell).rstrip(" ")
    if not text.strip():
        return None
    said = {"True": "1", "False": "0"}.get(text, text.strip())
    said = said.replace(",", ".") if decimal == "," and "." not in said else said
    if _NUMBER.fullmatch(said):
        return _number(said)
    if _MOMENT.match(text):
        try:
            return _instant(pd.Timestamp(text))
        except ValueError:
            return text
    return text


def _number(text: str) -> object:
    try:
        found = Decimal(text)
    except InvalidOperation:
        return text
    return found if found.is_finite() else text


def _instant(moment: pd.Timestamp) -> object:
    if moment.tz is None:
        return "local", moment.isoformat()
    return "instant", moment.tz_convert("UTC").isoformat()


def _written_number(cell: str, form: Mapping[str, Any]) -> object:
    """Return the number of a cell with units, groups of digits and signs of people."""
    text = cell
    for unit in (form.get("prefix", ""), form.get("suffix", "")):
        text = text.replace(unit.strip(), "", 1)
    decimal = form.get("decimal", ".")
    digits = "".join(c for c in text if c.isdigit() or c == decimal)
    below = any(sign in text for sign in "-\u2212\u2013(")
    return _number(f"{'-' if below else ''}{digits.replace(decimal, '.')}")


_WORD = re.compile(r"[0-9]+|[^\W\d_]+")


def _same_date(cell: str, said: object, form: DateFormat) -> bool:
    """Return whether a cell is how people have written a moment, but for zeros."""
    if not isinstance(said, tuple):
        return False
    stamp = pd.Timestamp(said[1])
    if not form.fits(pd.Series([stamp])):
        return False
    return any(_parts(cell) == _parts(way.text(stamp)) for way in form.ways)


def _parts(text: str) -> list[str]:
    """Return numbers without zeros in front, and words in one case."""
    found = _WORD.findall(text)
    return [one.lstrip("0") if one.isdigit() else one.casefold() for one in found]
