"""Attributes: what a column's numbers mean, and their conversion back to values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.core.typing import Values
from engine.data.conversion.numeric import days_since_epoch, is_decimal_dtype
from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.data.kinds import Kind
from engine.hierarchy import Hierarchy, leaf_text_of

MICROSECONDS_PER_DAY = 86_400_000_000


@dataclass(frozen=True, eq=False)
class AttributeInfo:
    """Kind, hierarchy, words and range of a column, to interpret its numbers.

    Attributes
    ----------
    name : str
    kind : Kind
    tree : Hierarchy or None
        Every nominal attribute has one.
    words : pandas.Index or None
        The column's own value for each number 0, 1, ..., where the numbers are leaf
        numbers of a nominal attribute or ranks of ordered words; None where they are
        the values themselves.
    dates : bool
        The numbers are days since 1970-01-01.
    zone : tzinfo or None
        Time zone of such dates.
    seconds : bool
        All dates are whole seconds.
    whole : bool
        All values are whole numbers, or dates without a time of day.
    range : float
        Largest less smallest number in the prepared table; 0 for a constant.
    levels : ndarray of float64 or None
        The different numbers of an ordinal attribute in the prepared table, rising.
    exact : bool
        Released values are not rounded: where the column's type would, they get a
        wider one.
    form : NumberFormat, DateFormat or None
        How the column's file writes it, where that is not how programs write.
    """

    name: str
    kind: Kind = Kind.CONTINUOUS
    tree: Hierarchy | None = None
    words: pd.Index | None = None
    dates: bool = False
    zone: Any = None
    seconds: bool = False
    whole: bool = False
    range: float = 0.0
    levels: Values | None = None
    exact: bool = False
    form: NumberFormat | DateFormat | None = None

    @property
    def is_nominal(self) -> bool:
        """Whether the values are categories without order or distance."""
        return self.kind is Kind.NOMINAL

    def leaf_codes(
        self, values: Values, missing: NDArray[np.bool_]
    ) -> NDArray[np.int64] | None:
        """Return each value's leaf number in the hierarchy; None without hierarchy.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records,)
        missing : ndarray of bool, shape (n_records,)
            Cells that stay missing; they get the first leaf.

        Raises
        ------
        InputError
            If the hierarchy lacks a value.
        """
        if self.tree is None:
            return None
        if self.words is not None:
            return values.astype(np.int64)
        codes = np.zeros(values.size, dtype=np.int64)
        texts = pd.Series(self.to_text(values[~missing]), dtype="str")
        codes[~missing] = self.tree.codes(texts, self.name)
        return codes

    def with_known_values(self, values: Values) -> AttributeInfo:
        """Return the attribute with the range and levels of the prepared table.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records,)
            NaN where a cell stays missing; at least one is not.
        """
        present = values[~np.isnan(values)]
        levels = np.unique(present) if self.kind is Kind.ORDINAL else None
        return replace(self, range=float(np.ptp(present)), levels=levels)

    def to_typed(
        self, values: Values, column: pd.Series, missing: NDArray[np.bool_]
    ) -> pd.Series:
        """Return released numbers as values of the column's own type, if they fit it.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records,)
        column : pandas.Series, shape (n_records,)
            The same records before protection, for the type and the index.
        missing : ndarray of bool, shape (n_records,)
            Cells that stay missing, whatever their number.
        """
        if missing.any():
            values = np.where(missing, 0.0, values)  # must not decide on the type
            none = np.zeros_like(missing)
            typed = self.to_typed(values, column, none)
            if isinstance(typed.dtype, np.dtype) and typed.dtype.kind in "iub":
                typed = typed.convert_dtypes()  # whole numbers stay such beside gaps
            return typed.mask(missing)
        if self.words is not None:
            released_words = self.words.to_numpy()[
                round_to_nearest_ranks(values).astype(np.int64)
            ]
            return pd.Series(released_words, index=column.index).astype(column.dtype)
        if self.dates:
            return self._as(self._written_moments(values, column.index), column)
        released = pd.Series(values, index=column.index)
        if pd.api.types.is_integer_dtype(column.dtype) and (values % 1 == 0).all():
            return released.astype(column.dtype)
        if pd.api.types.is_bool_dtype(column.dtype) and np.isin(values, (0, 1)).all():
            return released.astype(bool).astype(column.dtype)
        if pd.api.types.is_float_dtype(column.dtype):
            return self._as(released, column)
        if is_decimal_dtype(column.dtype):
            return _decimals_or_floats(released, column.dtype)
        return released

    def round_as_written(self, values: Values) -> Values:
        """Return released dates rounded to the precision of the column's format.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records,)
            Days since 1970 where the column holds dates.
        """
        if not self.dates:
            return values
        return days_since_epoch(self._written_moments(values))

    def _as(self, released: pd.Series, column: pd.Series) -> pd.Series:
        """Return values of the column's type, unless that would round exact ones."""
        typed = released.astype(column.dtype)
        return released if self.exact and (typed != released).any() else typed

    def to_text(self, values: Values) -> list[str]:
        """Return numbers as texts of leaves: words, dates (ISO 8601) or numbers."""
        if self.words is not None:
            return [leaf_text_of(self.words[int(code)]) for code in values]
        if self.dates:
            parts = "" if self.seconds else ".%f"
            form = "%Y-%m-%d" if self.whole else f"%Y-%m-%d %H:%M:%S{parts}"
            return list(self._moments(values).dt.strftime(form))
        return [leaf_text_of(value) for value in values.tolist()]

    def interval_text(self, low: Values, high: Values) -> list[str]:
        """Return intervals as text in the column's own format.

        Dates with a time zone carry their offset, as an hour comes twice when clocks
        are put back. Between decimal commas, and between such dates, stands a
        semicolon.
        """
        texts = self._ends(np.concatenate([low, high]))
        comma = isinstance(self.form, NumberFormat) and "," in (
            self.form.decimal,
            self.form.group,
        )
        between = "; " if comma or self.zone is not None else ", "
        pairs = zip(texts[: low.size], texts[low.size :], strict=True)
        return [a if a == b else f"[{a}{between}{b}]" for a, b in pairs]

    def _ends(self, values: Values) -> list[str]:
        """Return ends of intervals as text, in the writing of the column's file."""
        if isinstance(self.form, NumberFormat):
            return list(map(self.form.format_number, values.tolist()))
        if isinstance(self.form, DateFormat):
            return list(map(self.form.format_date, self._moments(values)))
        if self.zone is not None:
            moments = self._moments(values)
            in_utc = moments.dt.tz_convert("UTC")
            fine = (in_utc != in_utc.dt.floor("min")).any()
            whole = (
                "seconds" if (in_utc == in_utc.dt.floor("s")).all() else "microseconds"
            )
            part = whole if fine else "minutes"
            return [moment.isoformat(sep=" ", timespec=part) for moment in moments]
        return self.to_text(values)

    def _written_moments(
        self, values: Values, index: pd.Index | None = None
    ) -> pd.Series:
        """Return days since 1970-01-01 as dates that the column's format can write."""
        moments = self._moments(values, index)
        if isinstance(self.form, DateFormat) and not self.exact:
            return self.form.snap_to_format(moments)
        return moments

    def _moments(self, values: Values, index: pd.Index | None = None) -> pd.Series:
        """Return days since 1970-01-01 as dates, to the second where all were such.

        Days as floating-point numbers tell microseconds apart, and nothing finer.
        """
        # Counted in microseconds: nanoseconds since 1970 end in 2262.
        days = np.floor(values)
        rest = np.rint((values - days) * MICROSECONDS_PER_DAY)
        since = days.astype(np.int64) * MICROSECONDS_PER_DAY + rest.astype(np.int64)
        moments = pd.Series(since.astype("datetime64[us]"), index)
        seconds = self.seconds and not self.exact
        moments = moments.dt.round("s" if seconds else "us")
        if self.zone is not None:
            moments = moments.dt.tz_localize("UTC").dt.tz_convert(self.zone)
        return moments


def word_codes_by_column(
    attributes: Sequence[AttributeInfo],
) -> dict[str, dict[str, int]]:
    """Return, by name of each attribute with words, a dict of each word to its code."""
    return {
        attribute.name: {
            leaf_text_of(word): number for number, word in enumerate(attribute.words)
        }
        for attribute in attributes
        if attribute.words is not None
    }


def round_to_nearest_ranks(values: Values) -> Values:
    """Return the rank nearest to each number; ties go to the lower rank.

    Between two ranks lies no word, but medians and fuzzy centres do.
    """
    return np.asarray(np.ceil(values - 0.5))


def _decimals_or_floats(released: pd.Series, dtype: Any) -> pd.Series:
    """Return numbers as decimals of a type of Arrow, or as they are if they need more.

    More digits than the type has, as a mean may.
    """
    try:
        typed = released.astype(dtype)
    except ValueError:  # too large for it
        return released
    return typed if (typed.astype("float64") == released).all() else released
