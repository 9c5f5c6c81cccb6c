"""Interpret file cells as number, date, text or nothing, to compare files.

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

from engine.data.formats.date_format import DateFormat
from engine.data.table import Origin


@dataclass(frozen=True)
class InputCellFormat:
    """Format of an input column, to compare its cells with released ones.

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
    def from_origin(
        cls, origin: Origin, name: str, single: bool = False
    ) -> InputCellFormat:
        """Return the format of a column of the input file."""
        options = origin.options
        form = options.get("forms", {}).get(name)
        missing_word_lists = [
            options.get(key, {}).get(name, ()) for key in ("words", "missing")
        ]
        decimal = options.get("decimal", ".")
        return cls(
            decimal,
            form if isinstance(form, Mapping) else None,
            frozenset(
                cell_meaning(word, decimal)
                for each in missing_word_lists
                for word in each
            ),
            single,
        )

    def is_same(self, first: Any, second: Any) -> bool:
        """Return whether an input cell and a released cell have the same meaning.

        Parameters
        ----------
        first, second : object
            Of the file that came in, and of the one that leaves.
        """
        if isinstance(first, str) and first == second:
            return True
        before, after = cell_meaning(first, self.decimal), cell_meaning(second, ".")
        if before == after:
            return True
        if after is None:
            input_meaning = before.strip() if isinstance(before, str) else before
            return input_meaning in self.missing
        if self.single and isinstance(before, Decimal) and isinstance(after, Decimal):
            return bool(np.float32(before) == np.float32(after))
        if self.form is None or not isinstance(first, str):
            return False
        if "pattern" in self.form:
            return _is_same_date(first, after, DateFormat.from_json(self.form))
        return _parse_formatted_number(first, self.form) == after


def have_same_meaning(
    input_column: Sequence[Any],
    released_column: Sequence[Any],
    input_format: InputCellFormat,
) -> bool:
    """Return whether two columns have the same meaning, cell by cell.

    Parameters
    ----------
    input_column, released_column : sequence of object, length n_records
        Of the file that came in, and of the one that leaves.
    input_format : InputCellFormat
        How the first is to be understood.
    """
    is_same_by_pair: dict[tuple[str, str], bool] = {}
    for input_cell, other in zip(input_column, released_column, strict=True):
        key = repr(input_cell), repr(other)
        if key not in is_same_by_pair:
            is_same_by_pair[key] = input_format.is_same(input_cell, other)
        if not is_same_by_pair[key]:
            return False
    return True


_LINE_END = re.compile(r"\r\n?")
_NUMBER_PATTERN = re.compile(
    r"[+-]?(?:0|[1-9][0-9]*|(?=\.))(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
)
_INFINITE_PATTERN = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)
_DATE_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def cell_meaning(cell: Any, decimal: str) -> object:
    """Return a cell's meaning for comparison: Decimal, text, tagged date, or None."""
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return None
    if isinstance(cell, bool | np.bool_):
        return Decimal(int(cell))
    if isinstance(cell, float | np.floating):
        return None if np.isnan(cell) else _number(repr(float(cell)))
    if isinstance(cell, int | np.integer | Decimal):
        return _number(str(cell))
    if isinstance(cell, datetime.datetime | datetime.date):
        return _as_instant(pd.Timestamp(cell))
    if isinstance(cell, datetime.time):
        cell = cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return str(pd.Timedelta(cell))
    if isinstance(cell, bytes):
        cell = cell.hex()
    text = _LINE_END.sub("\n", str(cell)).rstrip(" ")
    if not text.strip():
        return None
    word = {"True": "1", "False": "0"}.get(text, text.strip())
    word = word.replace(",", ".") if decimal == "," and "." not in word else word
    if _NUMBER_PATTERN.fullmatch(word):
        return _number(word)
    if infinite := _INFINITE_PATTERN.fullmatch(word):
        return "-inf" if infinite[1] == "-" else "inf"
    if _DATE_PATTERN.match(text):
        try:
            return _as_instant(pd.Timestamp(text))
        except ValueError:
            return text
    return text


def _number(text: str) -> object:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text


def _as_instant(moment: pd.Timestamp) -> object:
    if moment.tz is None:
        return "local", moment.isoformat()
    return "instant", moment.tz_convert("UTC").isoformat()


def _parse_formatted_number(cell: str, form: Mapping[str, Any]) -> object:
    """Return the number of a cell with units, digit groups or signs."""
    text = cell
    for unit in (form.get("prefix", ""), form.get("suffix", "")):
        text = text.replace(unit.strip(), "", 1)
    decimal = form.get("decimal", ".")
    digits = "".join(c for c in text if c.isdigit() or c == decimal)
    below = any(sign in text for sign in "-\u2212\u2013(")
    number = _number(f"{'-' if below else ''}{digits.replace(decimal, '.')}")
    scales = {unit.strip(): power for unit, power in form.get("scales", ())}
    tail = text.rstrip("-\u2212) ")
    unit = max((unit for unit in scales if tail.endswith(unit)), key=len, default="")
    power = scales.get(unit, 0)
    return number.scaleb(power) if isinstance(number, Decimal) else number


_TOKEN_PATTERN = re.compile(r"[0-9]+|[^\W\d_]+")


def _is_same_date(cell: str, known_cell: object, form: DateFormat) -> bool:
    """Return whether a cell is how people have written a moment, but for zeros."""
    if not isinstance(known_cell, tuple):
        return False
    stamp = pd.Timestamp(known_cell[1])
    if not form.can_write(pd.Series([stamp])):
        return False
    return any(
        _date_tokens(cell) == _date_tokens(way.format_date(stamp))
        for way in form.alternatives
    )


def _date_tokens(text: str) -> list[str]:
    """Return numbers without zeros in front, and words in one case."""
    tokens = _TOKEN_PATTERN.findall(text)
    return [
        token.lstrip("0") if token.isdigit() else token.casefold() for token in tokens
    ]
