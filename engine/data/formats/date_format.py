"""Date formats of columns, with the names of months."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

Unit = Literal["year", "quarter", "month", "week", "day", "minute", "second", "ms"]

_DIRECTIVE_PATTERN = re.compile(r"(%-?[a-zA-Z])")

_UNIT_DIRECTIVES: tuple[tuple[str, Unit], ...] = (
    ("L", "ms"),
    ("S", "second"),
    ("M", "minute"),
    ("d", "day"),
    ("V", "week"),
    ("m", "month"),
    ("b", "month"),
    ("q", "quarter"),
    ("Y", "year"),
)
"""What the finest part of a pattern tells."""

FIRST_YEAR_OF_1900S = 30
"""Two digits below this are years from 2000 on, as in spreadsheets."""


@dataclass(frozen=True)
class DateFormat:
    """Patterns and month names by which a column's dates are written as text.

    Attributes
    ----------
    pattern : str
        As ``strftime`` takes it, with ``%-d``, ``%-m`` and ``%-H`` for numbers without
        a zero in front, ``%q`` for the quarter, ``%L`` for thousandths of a second and
        ``%b`` for :attr:`months`.
    months : tuple of str
        Names of the twelve months, where a pattern has them.
    also : tuple of str
        Further patterns, of cells that are written otherwise: they are read, and every
        date is written in the first one.

    Examples
    --------
    >>> DateFormat("%-d.%-m.%Y").format_date(pd.Timestamp(2025, 3, 1))
    '1.3.2025'
    """

    pattern: str
    months: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def alternatives(self) -> tuple[DateFormat, ...]:
        """Each pattern of the column as a format with this one pattern."""
        return tuple(DateFormat(way, self.months) for way in (self.pattern, *self.also))

    @property
    def unit(self) -> Unit:
        """Smallest step between two dates in this format."""
        codes = {part[-1] for part in _DIRECTIVE_PATTERN.findall(self.pattern)}
        return next(unit for code, unit in _UNIT_DIRECTIVES if code in codes)

    def snap_to_format(self, moments: pd.Series) -> pd.Series:
        """Return the nearest dates that the format can express."""
        unit = self.unit
        if unit in ("day", "minute", "second", "ms"):
            step = {"day": "D", "minute": "min", "second": "s"}.get(unit, unit)
            rounded: pd.Series = moments.dt.round(step)
            return rounded
        if unit == "week":
            monday = moments.dt.normalize() - pd.to_timedelta(
                moments.dt.day_of_week, unit="D"
            )
            late = moments - monday >= pd.Timedelta(days=3.5)
            week: pd.Series = monday.where(~late, monday + pd.Timedelta(days=7))
            return week
        freq = {"month": "M", "quarter": "Q", "year": "Y"}[unit]
        start = moments.dt.to_period(freq).dt.start_time
        after = (moments.dt.to_period(freq) + 1).dt.start_time
        near: pd.Series = start.where(moments - start < after - moments, after)
        return near.astype(moments.dtype)

    def can_write(self, moments: pd.Series) -> bool:
        """Return whether the format can express the dates without loss."""
        dates = moments.dropna()
        if dates.dt.tz is not None or not len(dates):
            return dates.dt.tz is None
        if "%y" in self.pattern:
            first = 1900 + FIRST_YEAR_OF_1900S
            if not dates.dt.year.between(first, first + 99).all():
                return False
        return bool((self.snap_to_format(dates) == dates).all())

    def format_date(self, moment: pd.Timestamp) -> str:
        """Return a date as text."""
        iso = moment.isocalendar()
        weekly = "%V" in self.pattern
        values = {
            "%Y": f"{iso.year if weekly else moment.year:04}",
            "%y": f"{moment.year % 100:02}",
            "%m": f"{moment.month:02}",
            "%-m": str(moment.month),
            "%d": f"{moment.day:02}",
            "%-d": str(moment.day),
            "%b": self.months[moment.month - 1] if self.months else "",
            "%q": str((moment.month + 2) // 3),
            "%V": f"{iso.week:02}",
            "%H": f"{moment.hour:02}",
            "%-H": str(moment.hour),
            "%I": f"{(moment.hour - 1) % 12 + 1:02}",
            "%-I": str((moment.hour - 1) % 12 + 1),
            "%p": "AM" if moment.hour < 12 else "PM",
            "%P": "am" if moment.hour < 12 else "pm",
            "%M": f"{moment.minute:02}",
            "%S": f"{moment.second:02}",
            "%L": f"{moment.microsecond // 1000:03}",
        }
        return "".join(
            values.get(part, part) for part in _DIRECTIVE_PATTERN.split(self.pattern)
        )

    def format_column(self, column: pd.Series) -> pd.Series:
        """Return a column of dates as text; missing values stay missing."""
        codes, dates = pd.factorize(column)
        texts = np.array(
            [*map(self.format_date, pd.DatetimeIndex(dates)), None], dtype=object
        )
        return pd.Series(texts[codes], column.index, dtype="str")

    def to_json(self) -> dict[str, Any]:
        """Return the format as plain values, ready for JSON."""
        content: dict[str, Any] = {"pattern": self.pattern}
        if self.months:
            content["months"] = list(self.months)
        if self.also:
            content["also"] = list(self.also)
        return content

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> DateFormat:
        """Return the format that :meth:`to_json` wrote."""
        return cls(
            content["pattern"],
            tuple(content.get("months", ())),
            tuple(content.get("also", ())),
        )
