"""Delimited text (CSV): found out, read by Arrow as text, converted by column."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.encoding import decoded, to_utf8
from engine.core.errors import InputError
from engine.core.message import Message
from engine.files.base import Format, FormatInfo, formats, refuse_no_records
from engine.files.cells.casting import form_of_moments
from engine.files.cells.convert import form_of
from engine.files.cells.decimals import decimals_of
from engine.files.cells.locale import locale_of
from engine.files.cells.plain import plain_columns
from engine.files.cells.written import as_written
from engine.files.cut import Cut, cut, first_row
from engine.files.held import (
    AS_TEXT,
    Held,
    Unfit,
    as_text,
    exceeds,
    finer_than,
    is_date,
    is_duration,
    is_text,
    plain,
    without_blank,
)
from engine.files.layout import Layout
from engine.files.lines import lines_of
from engine.files.names import (
    column_names,
    names_read_back,
    names_to_write,
    other_names,
    told_apart,
)
from engine.files.options import ReadOptions
from engine.files.reading import Reading, told_of_text
from engine.files.records import parse
from engine.files.source import Source

_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"


@formats.register(
    FormatInfo(
        id="csv",
        title="CSV",
        suffixes=(".csv", ".txt", ".tsv"),
        options=(
            "delimiter",
            "decimal",
            "encoding",
            "header",
            "header_row",
            "first_row",
            "footer_rows",
            "forms",
            "missing",
            "number_names",
        ),
        typed=False,
        media_type="text/csv",
    )
)
class Delimited(Format):
    """Text with one record on each line and a delimiter between fields."""

    def read(
        self, source: Source, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read delimited text; see :meth:`Format.read`."""
        found = _split(source, options)
        texts, names = found.columns, found.names
        file = locale_of(texts, found.cut.delimiter, options.decimal)
        reading = Reading(names, options)
        certain = plain_columns(texts, file)
        series: dict[str, Any] = {}
        moments: dict[str, str] = {}
        decimals: dict[str, int] = {}
        texts.reverse()
        for name, values in zip(names, certain, strict=True):
            column = texts.pop()
            if values is not None and not reading.told(name):
                series[name] = values
            else:
                series[name] = reading.column(name, column, file)
            if count := decimals_of(column, series[name], file.decimal):
                decimals[name] = count
            elif pd.api.types.is_datetime64_any_dtype(series[name].dtype):
                form = form_of_moments(column)
                if form is not None:
                    moments[name] = form
        told = reading.effective()
        own = told.get("forms", {})
        effective = {
            "delimiter": found.cut.delimiter,
            "decimal": file.decimal,
            "encoding": found.encoding,
            "header": found.cut.names is not None,
            "number_names": options.number_names,
            "newline": found.newline,
            "nameless": found.nameless,
            "names": other_names(names, found.header),
            "empty": found.empty,
            "moments": moments,
            "decimals": {a: b for a, b in decimals.items() if a not in own},
            "inexact": reading.inexact,
            **found.cut.layout.options(),
            **told,
        }
        return pd.DataFrame(series, copy=False), effective

    def read_back(
        self, source: Source, options: Mapping[str, Any], written: pd.DataFrame
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read delimited text as it was written; see :meth:`Format.read_back`."""
        encoding = options.get("encoding", "utf-8")
        text = decoded(source.read(), encoding, source.name)
        delimiter, header = options.get("delimiter", ","), options.get("header", True)
        width = len(first_row(text, delimiter, source.name))
        found = [""] * width if header else None
        rows = Layout((1,) if header else (), 1 + header)
        columns = parse(
            text, Cut(delimiter, rows, found, width, 0, len(text)), source.name
        )
        names = [f"column {j}" for j in range(1, width + 1)]
        if header:
            there = [column[0].as_py() or "" for column in columns]
            names = names_read_back(there, written, options)
            columns = [column.slice(1) for column in columns]
        elif width == written.shape[1]:
            names = [*map(str, written.columns)]
        forms, decimal = options.get("forms", {}), options.get("decimal", ".")
        known = {name: form_of(forms[name]) for name in names if name in forms}
        series = [
            as_written(column, written.get(name), decimal, known.get(name))
            for name, column in zip(names, columns, strict=True)
        ]
        return pd.concat(series, axis="columns", keys=names), {}

    def carried(
        self, source: Source, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return the text of each cell; see :meth:`Format.carried`."""
        found = _split(source, ReadOptions.of(options))
        texts = dict(zip(found.names, found.columns, strict=True))
        del found
        return {name: _as_series(texts.pop(name)) for name in names}

    def told(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> Held:
        """Return numbers with more digits than float64 holds as text.

        See :meth:`Format.told`.
        """
        return told_of_text(column, carried, options)

    def held(self, column: pd.Series) -> Held:
        """Return a column as text says it, which has no types; see the base class."""
        column = plain(column)
        if pd.api.types.is_bool_dtype(column.dtype):
            words = column.map({True: "True", False: "False"}, na_action="ignore")
            return Held(words.astype("str"))
        if str(column.dtype).lower() == "float32":
            # The shortest decimal that tells this number from all others.
            shortest = column.to_numpy("float32", na_value=np.nan).astype(str)
            return Held(pd.Series(shortest.astype(np.float64), column.index))
        if exceeds(column, np.iinfo(np.int64).max):
            return Held(as_text(column))
        if is_duration(column):
            return Held(as_text(column), AS_TEXT)
        if is_date(column) and finer_than(column, "us"):
            return Held(as_text(column))
        if is_text(column):
            if column.str.contains(_CONTROL, na=False).any():
                raise Unfit(Message("control characters"))
            return without_blank(column, column == "")
        return Held(column)

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse what makes text binary; see :meth:`Format.check_names`."""
        super().check_names(names)
        for name in names:
            if re.search(_CONTROL, name):
                raise InputError(
                    "The name of column {column!r} has control characters, which CSV "
                    "files cannot keep: rename the column.",
                    column=name,
                )

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write delimited text; see :meth:`Format.write`."""
        encoding = options.get("encoding", "utf-8")
        encoder = codecs.getincrementalencoder(encoding)()
        pieces = lines_of(
            frame,
            options.get("delimiter", ","),
            options.get("decimal", "."),
            options.get("newline", "\n"),
            names_to_write(frame, options) if options.get("header", True) else None,
            options.get("moments", {}),
            {name: form_of(one) for name, one in options.get("forms", {}).items()},
            options.get("decimals", {}),
        )
        try:
            for piece in pieces:
                stream.write(encoder.encode(piece))
        except UnicodeEncodeError:
            raise InputError(
                "{where} has letters that the encoding {encoding} lacks: write the "
                "table in utf-8.",
                where=_unencodable(frame, encoding),
                encoding=encoding,
            ) from None


def _unencodable(frame: pd.DataFrame, encoding: str) -> Message:
    """Return which column an encoding cannot write."""
    for name in frame.columns:
        try:
            str(name).encode(encoding)
            for cell in frame[name].dropna().unique():
                str(cell).encode(encoding)
        except UnicodeEncodeError:
            return Message("Column {column!r}", column=str(name))
    return Message("The table")


@dataclass(frozen=True, eq=False)
class _Texts:
    """Delimited text, taken apart.

    Attributes
    ----------
    columns : list
        Of each column the text of its cells as pyarrow.ChunkedArray, empty cells null.
    names : list of str
    nameless : list of int
        Places in the file, from 1.
    header : list of str
        Names as they are in the file, where it has any.
    empty : list of int
        Places in the file, from 0, of columns that have neither name nor value.
    cut : Cut
    encoding, newline : str
    """

    columns: list[Any]
    names: list[str]
    nameless: list[int]
    header: list[str]
    empty: list[int]
    cut: Cut
    encoding: str
    newline: str


def _split(source: Source, options: ReadOptions) -> _Texts:
    """Return the cells of delimited text.

    Raises
    ------
    InputError
    """
    content = source.read()
    text, encoding = to_utf8(content, options.encoding, source.name)
    del content
    found = cut(text, options, source.name)
    header = found.names
    if header is not None:
        if options.number_names:
            header = told_apart(header)
        names, nameless = column_names(header)
    else:
        names = header = [f"column {j}" for j in range(1, found.width + 1)]
        nameless = []
    columns = parse(text, found, source.name)
    columns = _without_repeated_names(columns, found.names)
    empty = _empty(columns, nameless)
    stays = [j for j in range(len(names)) if j not in empty]
    columns = [columns[j] for j in stays]
    refuse_no_records(len(columns[0]), source.name)
    return _Texts(
        columns,
        [names[j] for j in stays],
        [j for j in nameless if j - 1 not in empty],
        [header[j] for j in stays],
        sorted(empty),
        found,
        encoding,
        "\r\n" if b"\r\n" in text[:65_536] else "\n",
    )


def _as_series(column: Any) -> pd.Series:
    import pyarrow as pa

    text: pd.Series = column.cast(pa.large_string()).to_pandas()
    return text.astype("str")


def _without_repeated_names(columns: list[Any], names: list[str] | None) -> list[Any]:
    """Return columns without records that say the names again."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if names is None:
        return columns
    again = pa.scalar(True)
    said = [(c, name) for c, name in zip(columns, names, strict=True) if name.strip()]
    if len(said) < 2:
        return columns
    for column, name in said:
        again = pc.and_(again, pc.fill_null(pc.equal(column, name), False))
        if not pc.any(again).as_py():
            return columns
    return [column.filter(pc.invert(again)) for column in columns]


def _empty(columns: list[Any], nameless: Sequence[int]) -> set[int]:
    """Return the places of columns that have neither a name nor a value."""
    places = {j - 1 for j in nameless}
    return {j for j in places if columns[j].null_count == len(columns[j])}
