"""Delimited text (CSV): found out, read by Arrow as text, converted by column."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.encoding import decoded, to_utf8
from engine.core.errors import InputError
from engine.core.message import Message
from engine.files.base import (
    Format,
    FormatInfo,
    ReadOptions,
    Source,
    column_names,
    formats,
    names_read_back,
    names_to_write,
    other_names,
    refuse_no_records,
)
from engine.files.casting import form_of_moments
from engine.files.convert import form_of
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
from engine.files.locale import locale_of
from engine.files.plain import plain_columns
from engine.files.reading import Reading, told_of_text
from engine.files.written import as_written

_BLOCK = 1 << 23
_LEAST_BLOCK = 1 << 16
_RESERVED = 1 << 28
"""Bytes that may be reserved at once: a block's length for each column."""
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
        texts.reverse()
        for name, values in zip(names, certain, strict=True):
            column = texts.pop()
            if values is not None and not reading.told(name):
                series[name] = values
                continue
            series[name] = reading.column(name, column, file)
            if pd.api.types.is_datetime64_any_dtype(series[name].dtype):
                form = form_of_moments(column)
                if form is not None:
                    moments[name] = form
        effective = {
            "delimiter": found.cut.delimiter,
            "decimal": file.decimal,
            "encoding": found.encoding,
            "header": found.cut.names is not None,
            "newline": found.newline,
            "nameless": found.nameless,
            "names": other_names(names, found.header),
            "empty": found.empty,
            "moments": moments,
            "inexact": reading.inexact,
            **found.cut.layout.options(),
            **reading.effective(),
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
        columns = _parse(
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
    if found.names is not None:
        names, nameless = column_names(found.names)
    else:
        names = [f"column {j}" for j in range(1, found.width + 1)]
        nameless = []
    header = names if found.names is None else found.names
    columns = _parse(text, found, source.name)
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


def _parse(text: bytes, found: Cut, name: str) -> list[Any]:
    """Return every column as a pyarrow.ChunkedArray of string, empty cells null.

    Raises
    ------
    InputError
        If there is no record, or records differ in width; with the line.
    """
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    start, end, width = found.start, found.end, found.width
    body = pa.py_buffer(text).slice(start, end - start)
    if width == 1:
        # A blank line is then a missing value, unless it trails.
        body = pa.py_buffer(text[start:end].strip(b"\r\n") + b"\n")
    quotes = text.find(b'"', start, end) >= 0
    if quotes and text.count(b'"', start, end) % 2:
        _refuse_open_quote(text, found, name)
    keys = [str(j) for j in range(width)]
    if not text[start : min(start + 65_536, end)].strip(b"\r\n") and (
        end <= start + 65_536 or not text[start:end].strip(b"\r\n")
    ):
        if text.count(b'"') % 2:
            _refuse_open_quote(text, replace(found, start=0), name)
        refuse_no_records(0, name)
    block = min(_BLOCK, max(_RESERVED // width, _LEAST_BLOCK))
    while True:
        try:
            # In one thread: what others took, this one could not use again, and the
            # process would hold up to twice as much, for 0.5 s of 200 MB.
            batches = arrow_csv.open_csv(
                pa.BufferReader(body),
                arrow_csv.ReadOptions(
                    column_names=keys, block_size=block, use_threads=False
                ),
                arrow_csv.ParseOptions(
                    delimiter=found.delimiter,
                    newlines_in_values=quotes,
                    ignore_empty_lines=width > 1,
                ),
                arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(keys, pa.string()),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                    check_utf8=False,
                ),
            )
            # Each column of a block that was read has room for the whole block; a
            # copy is as large as its text.
            parts = _joined(pa.concat_batches([batch]) for batch in batches)
        except pa.ArrowInvalid as error:
            if "straddl" in str(error) and block < len(text):
                block *= 8
                continue
            _refuse_ragged(text, found, name)
            raise InputError(
                "File {file!r} cannot be split into records: choose another delimiter.",
                file=name,
            ) from None
        return list(pa.Table.from_batches(parts, batches.schema).columns)


def _joined(batches: Iterable[Any]) -> list[Any]:
    """Return batches with as many of them made one as a block holds.

    A batch costs some microseconds for each column, which tells where thousands of
    columns let a block hold only some records.
    """
    import pyarrow as pa

    found, waiting, size = [], [], 0
    for batch in batches:
        waiting.append(batch)
        size += batch.get_total_buffer_size()
        if size >= _BLOCK:
            found.append(pa.concat_batches(waiting))
            waiting, size = [], 0
    return [*found, pa.concat_batches(waiting)] if waiting else found


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


def _numbered_records(
    text: bytes, start: int, delimiter: str
) -> Iterator[tuple[int, int]]:
    """Yield each record's first line (from 1 in the file) and number of fields."""
    above = len(text[:start].splitlines())
    stream = io.TextIOWrapper(
        io.BytesIO(memoryview(text)[start:]), encoding="utf-8", newline=""
    )
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    line = above + 1
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield line, -1
            return
        if record:
            yield line, len(record)
        line = above + reader.line_num + 1


def _refuse_ragged(text: bytes, cut: Cut, name: str) -> None:
    """Raise, naming the first record that is not as wide as the first one."""
    header, width = cut.names is not None, cut.width
    first = Message("the header") if header else Message("the first record")
    found = _numbered_records(text[: cut.end], cut.start, cut.delimiter)
    fitting = 0
    for line, fields in found:
        if fields == width:
            fitting += 1
            continue
        if fields < 0:
            raise InputError(
                "The record at line {line:,} of file {file!r} has a quotation mark "
                "out of place: put marks around the whole field and double those in "
                "it.",
                line=line,
                file=name,
            )
        one_more = header and width > 1 and fields == width + 1 and not fitting
        rest = [n for _, n in islice(found, 1000)] if one_more else []
        if rest and set(rest) == {fields}:
            raise InputError(
                "Every record of file {file!r} has one field more than the header: "
                "give the first column a name in the header.",
                file=name,
            )
        raise InputError(
            "Line {line:,} of file {file!r} has {count:,} field where {first} has "
            "{width:,}: correct this line, or choose another delimiter.",
            "Line {line:,} of file {file!r} has {count:,} fields where {first} has "
            "{width:,}: correct this line, or choose another delimiter.",
            count=fields,
            line=line,
            file=name,
            first=first,
            width=width,
        )


def _refuse_open_quote(text: bytes, cut: Cut, name: str) -> None:
    """Raise if the file ends within quotation marks."""
    for line, fields in _numbered_records(text, cut.start, cut.delimiter):
        if fields == -1:
            raise InputError(
                "A quotation mark in the record at line {line:,} of file {file!r} is "
                "never closed: close it, or double it if it is part of the text.",
                line=line,
                file=name,
            )
