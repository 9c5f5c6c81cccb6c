"""Text columns of files and frames: convert them, record formats, store them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from engine.core.errors import InputError, ParameterError
from engine.core.message import NO_MESSAGE, Message, join_with_and
from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.data.schema import unknown_column_error
from engine.files.cells.casting import do_all_floats_keep_digits
from engine.files.cells.convert import (
    FORMAT_ANSWERS,
    ConvertedColumn,
    convert_text_column,
    format_from_json,
)
from engine.files.cells.decimals import min_decimals
from engine.files.cells.locale import DecimalAndDateOrder, infer_locale
from engine.files.input.options import ReadOptions
from engine.files.stored_columns import (
    AS_TEXT_MESSAGE,
    KEEPS_DIGITS_MESSAGE,
    StoredColumn,
)


def do_numbers_keep_digits(
    text: Any, numbers: pd.Series, decimal: str, form: NumberFormat | DateFormat | None
) -> bool:
    """Return whether numbers read from text equal it to the last digit.

    Parameters
    ----------
    text : pyarrow.ChunkedArray of string
    numbers : pandas.Series
        Or other values, which keep them.
    decimal : {".", ","}
        Of cells that are written as programs write.
    form : NumberFormat, DateFormat or None
        How cells are written otherwise.
    """
    import pyarrow.compute as pc

    if isinstance(form, NumberFormat):
        if form.scales:
            return True
        decimal = form.decimal
        text = pc.replace_substring_regex(text, rf"[^0-9{decimal}]", "")
        numbers = numbers.abs()
    return do_all_floats_keep_digits(text, numbers, decimal)


class TextColumnConverter:
    """Converter of text columns to numbers or dates, which records the formats found.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    options : ReadOptions

    Raises
    ------
    ParameterError
        If an option is of a column that the file does not have, or no known form.
    """

    def __init__(self, names: Sequence[str], options: ReadOptions) -> None:
        self._forms = dict(options.forms or {})
        self._missing = {k: tuple(v) for k, v in (options.missing or {}).items()}
        for name in (*self._forms, *self._missing):
            if name not in names:
                raise unknown_column_error(name, tuple(names))
        for name, form in self._forms.items():
            if isinstance(form, str) and form not in FORMAT_ANSWERS:
                raise ParameterError(
                    "Column {column!r} cannot be written as {form!r}: say one of "
                    "{known}.",
                    column=name,
                    form=form,
                    known=FORMAT_ANSWERS,
                )
        self._found: dict[str, ConvertedColumn] = {}
        self.inexact: list[str] = []
        """Columns whose numbers are not, to the last digit, what their text says."""
        self.decimals: dict[str, int] = {}
        """Decimals that numbers of columns have at least, where that tells anything."""
        self.whole_decimals: dict[str, int] = {}
        """Those of the columns' whole numbers, where they are others."""
        self._told_apart: list[str] = []
        """Those of them in which other texts are other numbers nevertheless."""

    def read_column(self, name: str, text: Any, file: DecimalAndDateOrder) -> pd.Series:
        """Return one column's values.

        Raises
        ------
        InputError
            If it is not written as people say.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        text = self.without_codes(name, text, file.decimal)
        form, written = self._forms.get(name), text
        column = convert_text_column(
            text, file, None if form is None else format_from_json(form)
        )
        if isinstance(form, str) and form != "text" and column.form is None:
            raise InputError(
                "Column {column!r} is not written as {form}: leave that out, or say "
                "something else.",
                column=name,
                form=form,
            )
        if column.form or column.asked or column.words:
            self._found[name] = ConvertedColumn(
                pd.Series(dtype="float64"), column.form, column.asked, column.words
            )
        if column.form is None:
            self.record_decimals(name, text, column.series, file.decimal)
        if not do_numbers_keep_digits(text, column.series, file.decimal, column.form):
            self.inexact.append(name)
            known_mask = pa.chunked_array([pa.array(column.series.notna())])
            texts = pc.utf8_trim_whitespace(written.filter(known_mask))
            if pc.count_distinct(texts).as_py() == column.series.nunique():
                self._told_apart.append(name)
        return column.series

    def without_codes(self, name: str, text: Any, decimal: str) -> Any:
        """Return a column's text with the codes for a missing value made null."""
        import pyarrow as pa
        import pyarrow.compute as pc

        codes = self._missing.get(name, ())
        if not codes:
            return text
        trimmed, value_set = pc.utf8_trim_whitespace(text), pa.array(codes, text.type)
        # "-999.0" says what the code -999 says; "9.000" may be nine thousand.
        plain = pc.replace_substring(trimmed, decimal, ".")
        plain = pc.replace_substring_regex(plain, r"^(-?\d+)\.0{1,2}$", r"\1")
        lacking = pc.or_(
            pc.is_in(trimmed, value_set=value_set), pc.is_in(plain, value_set=value_set)
        )
        return pc.if_else(
            pc.fill_null(lacking, False), pa.scalar(None, text.type), text
        )

    def record_decimals(self, name: str, text: Any, values: Any, decimal: str) -> None:
        """Record how many decimals the numbers of a column have in its text."""
        whole, some = min_decimals(text, values, decimal)
        if whole or some > 1:
            self.decimals[name] = some
            if whole != some:
                self.whole_decimals[name] = whole

    def has_answer(self, name: str) -> bool:
        """Return whether the user specified a column's format or missing values."""
        return name in self._forms or bool(self._missing.get(name))

    def record_missing_words(self, name: str, words: Mapping[str, int]) -> None:
        """Record the words for missing values in a column, with their counts."""
        column = self._found.get(name, ConvertedColumn(pd.Series(dtype="float64")))
        self._found[name] = replace(column, words={**column.words, **words})

    def effective_options(self) -> dict[str, Any]:
        """Return the formats found as read options for JSON; empty if none."""
        forms: dict[str, Any] = {
            name: form for name, form in self._forms.items() if form == "text"
        }
        forms |= {
            name: each.form.to_json() for name, each in self._found.items() if each.form
        }
        open_forms = {
            name: [form.to_json() for form in each.asked]
            for name, each in self._found.items()
            if each.asked
        }
        words = {name: each.words for name, each in self._found.items() if each.words}
        missing = {name: list(codes) for name, codes in self._missing.items()}
        written = {k: form for k, form in self._forms.items() if isinstance(form, str)}
        every = {
            "forms": forms,
            "written": written,
            "asked": open_forms,
            "words": words,
            "missing": missing,
            "told_apart": self._told_apart,
        }
        return {name: each for name, each in every.items() if each}


_SPAN_NAMES = ("week", "month", "quarter", "year")
"""Units of dates that say no day."""


def to_stored_text(
    column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
) -> StoredColumn:
    """Return a column read from text as other formats store it: its values or its text.

    Numbers with more digits than float64 holds stay text, with a decimal point, as
    other formats have no decimal comma; so do months, quarters and weeks, of which a
    date would say a day, and years of two digits, whose century it would say.

    Parameters
    ----------
    column : pandas.Series
        What was read.
    carried : pandas.Series of str
        The text that it was read from.
    options : mapping
        What reading found out.
    """
    if column.name in options.get("inexact", ()):
        if options.get("decimal") == "," and column.name not in options.get(
            "forms", ()
        ):
            carried = carried.str.replace(",", ".", regex=False)
        return StoredColumn(carried, KEEPS_DIGITS_MESSAGE)
    form = options.get("forms", {}).get(column.name, {})
    pattern = form.get("pattern") if not isinstance(form, str) else None
    if pattern and ("%y" in pattern or DateFormat(pattern).unit in _SPAN_NAMES):
        return StoredColumn(carried, AS_TEXT_MESSAGE)
    words = carried[column.isna() & carried.notna()].str.strip().unique()
    missing_words, notes = [word for word in words if word], list[Message]()
    if not isinstance(form, str):
        units = [form.get(place, "").strip() for place in ("prefix", "suffix")]
        scales = [unit.strip() for unit, _ in form.get("scales", ()) if unit.strip()]
        if any(units):
            what = join_with_and([unit for unit in units if unit], quoted=True)
            notes.append(Message("as numbers without {units}", units=what))
        if scales:
            what = join_with_and(scales, quoted=True)
            notes.append(Message("as numbers with {units} multiplied out", units=what))
    if missing_words:
        what = join_with_and(missing_words, quoted=True)
        notes.append(Message("with {words} as missing", words=what))
    return StoredColumn(column, join_with_and(notes) if notes else NO_MESSAGE)


def convert_text_and_find_formats(
    frame: pd.DataFrame,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a frame with formatted text turned to numbers or dates, and their formats.

    Amounts such as ``$56.7M`` become numbers, and days such as 31.12.2025 dates. Plain
    numbers and ISO dates stay text, which somebody has made them.

    Parameters
    ----------
    frame : pandas.DataFrame
        Names of the columns are texts that differ.

    Returns
    -------
    frame : pandas.DataFrame
    written : dict
        How they are written, and what has to be asked, as in the options of a file.
    """
    import pyarrow as pa

    texts = {
        str(name): pa.chunked_array([pa.array(column, pa.string(), from_pandas=True)])
        for name, column in frame.items()
        if pd.api.types.infer_dtype(column, skipna=True) == "string"
        and not isinstance(column.dtype, pd.CategoricalDtype)
    }
    reader = TextColumnConverter([*texts], ReadOptions())
    locale = infer_locale([*texts.values()], "")
    columns = {
        name: reader.read_column(name, text, locale) for name, text in texts.items()
    }
    written = reader.effective_options()
    read = {
        name: columns[name].set_axis(frame.index) for name in written.get("forms", {})
    }
    return frame.assign(**read), written
