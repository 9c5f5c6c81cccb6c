"""Delimited text (CSV): layout detected, read by Arrow, columns converted; written."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.text.encoding import transcode_to_utf8, utf8_bytes_and_encoding
from engine.files.base import Format, FormatInfo, formats, refuse_empty_table
from engine.files.cells.casting import arrow_text_to_series, find_timestamp_format
from engine.files.cells.certain_types import try_convert_columns_in_batches
from engine.files.cells.convert import format_from_json
from engine.files.cells.locale import infer_locale
from engine.files.cells.written_cells import parse_written_cells
from engine.files.input.names import (
    label_options,
    map_changed_names,
    names_to_write,
    table_names_of_written_columns,
)
from engine.files.input.options import ReadOptions
from engine.files.input.reading import TextColumnConverter, to_stored_text
from engine.files.input.source import InputBytes
from engine.files.layout import Layout
from engine.files.stored_columns import (
    AS_TEXT_MESSAGE,
    StoredColumn,
    UnstorableError,
    has_integers_beyond,
    has_times_finer_than,
    is_date_column,
    is_duration_column,
    is_text_column,
    to_plain_column,
    to_stored_with_blanks_missing,
    to_text_column,
)
from engine.files.text.delimited_records import split_into_columns
from engine.files.text.endless_lines import refuse_endless_lines_of_source
from engine.files.text.lines import iterate_text_chunks
from engine.files.text.record_range import (
    RecordRange,
    cells_of_first_row,
    locate_records,
    name_columns,
)

_CONTROL_CHARS = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"


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
class DelimitedFormat(Format):
    """Reader and writer of text whose records are fields with a delimiter between."""

    check_before_reading = staticmethod(refuse_endless_lines_of_source)

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read delimited text; see :meth:`Format.read`."""
        text_table = _split(source, options)
        texts, names = text_table.columns, text_table.names
        file = infer_locale(texts, text_table.cut.delimiter, options.decimal)
        reading = TextColumnConverter(names, options)
        certain = try_convert_columns_in_batches(texts, file)
        series: dict[str, Any] = {}
        moments: dict[str, str] = {}
        texts.reverse()
        for name, values in zip(names, certain, strict=True):
            column = texts.pop()
            if values is not None and not reading.has_answer(name):
                series[name] = values
                reading.record_decimals(name, column, values, file.decimal)
            else:
                series[name] = reading.read_column(name, column, file)
            if pd.api.types.is_datetime64_any_dtype(series[name].dtype):
                form = find_timestamp_format(column)
                if form is not None:
                    moments[name] = form
        effective = {
            "delimiter": text_table.cut.delimiter,
            "decimal": file.decimal,
            "encoding": text_table.encoding,
            "header": text_table.cut.names is not None,
            "number_names": options.number_names,
            "newline": text_table.newline,
            "nameless": text_table.nameless,
            "names": map_changed_names(names, text_table.header),
            "empty": text_table.empty,
            "moments": moments,
            "decimals": reading.decimals,
            "whole_decimals": reading.whole_decimals,
            "inexact": reading.inexact,
            **text_table.labels,
            **text_table.cut.layout.to_options(),
            **reading.effective_options(),
        }
        return pd.DataFrame(series, copy=False), effective

    def read_back(
        self, source: InputBytes, options: Mapping[str, Any], written: pd.DataFrame
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read delimited text with the options it was written with."""
        encoding = options.get("encoding", "utf-8")
        text = transcode_to_utf8(source.read_bytes(), encoding, source.name)
        delimiter, header = options.get("delimiter", ","), options.get("header", True)
        width = len(cells_of_first_row(text, delimiter, source.name))
        blank_names = [""] * width if header else None
        rows = Layout((1,) if header else (), 1 + header)
        columns = split_into_columns(
            text,
            RecordRange(delimiter, rows, blank_names, width, 0, len(text)),
            source.name,
        )
        names = [f"column {j}" for j in range(1, width + 1)]
        if header:
            header_cells = [column[0].as_py() or "" for column in columns]
            names = table_names_of_written_columns(header_cells, written, options)
            columns = [column.slice(1) for column in columns]
        elif width == written.shape[1]:
            names = [*map(str, written.columns)]
        forms, decimal = options.get("forms", {}), options.get("decimal", ".")
        column_formats = {
            name: format_from_json(forms[name]) for name in names if name in forms
        }
        series = [
            parse_written_cells(
                column, written.get(name), decimal, column_formats.get(name)
            )
            for name, column in zip(names, columns, strict=True)
        ]
        return pd.concat(series, axis="columns", keys=names), {}

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return the text of each cell; see :meth:`Format.carried`."""
        text_table = _split(source, ReadOptions.from_used_options(options))
        texts = dict(zip(text_table.names, text_table.columns, strict=True))
        del text_table
        return {name: arrow_text_to_series(texts.pop(name)) for name in names}

    adapt_carried = staticmethod(to_stored_text)

    def held(self, column: pd.Series) -> StoredColumn:
        """Return a column as delimited text stores it; see the base class."""
        column = to_plain_column(column)
        if pd.api.types.is_bool_dtype(column.dtype):
            words = column.map({True: "True", False: "False"}, na_action="ignore")
            return StoredColumn(words.astype("str"))
        if str(column.dtype).lower() == "float32":
            # The shortest decimal that tells this number from all others.
            shortest = column.to_numpy("float32", na_value=np.nan).astype(str)
            return StoredColumn(pd.Series(shortest.astype(np.float64), column.index))
        if has_integers_beyond(column, np.iinfo(np.int64).max):
            return StoredColumn(to_text_column(column))
        if is_duration_column(column):
            return StoredColumn(to_text_column(column), AS_TEXT_MESSAGE)
        if is_date_column(column) and has_times_finer_than(column, "us"):
            return StoredColumn(to_text_column(column))
        if is_text_column(column):
            if column.str.contains(_CONTROL_CHARS, na=False).any():
                raise UnstorableError(Message("control characters"))
            return to_stored_with_blanks_missing(column, column == "")
        return StoredColumn(column)

    def check_names(self, names: Sequence[str]) -> None:
        """Raise for names with control characters; see :meth:`Format.check_names`."""
        super().check_names(names)
        for name in names:
            if re.search(_CONTROL_CHARS, name):
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
        pieces = iterate_text_chunks(
            frame,
            options.get("delimiter", ","),
            options.get("decimal", "."),
            options.get("newline", "\n"),
            names_to_write(frame, options) if options.get("header", True) else None,
            options.get("moments", {}),
            {
                name: format_from_json(form)
                for name, form in options.get("forms", {}).items()
            },
            options.get("decimals"),
            options.get("whole_decimals"),
        )
        try:
            for piece in pieces:
                stream.write(encoder.encode(piece))
        except UnicodeEncodeError:
            raise InputError(
                "{where} has letters that the encoding {encoding} lacks: write the "
                "table in utf-8.",
                where=_unencodable_message(frame, encoding),
                encoding=encoding,
            ) from None


def _unencodable_message(frame: pd.DataFrame, encoding: str) -> Message:
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
    labels : dict
        Of the key "labels", what a row below the names says of columns, by name; empty
        without such a row.
    cut : RecordRange
    encoding, newline : str
    """

    columns: list[Any]
    names: list[str]
    nameless: list[int]
    header: list[str]
    empty: list[int]
    labels: dict[str, Any]
    cut: RecordRange
    encoding: str
    newline: str


def _split(source: InputBytes, options: ReadOptions) -> _Texts:
    """Return the cells of delimited text.

    Raises InputError.
    """
    content = source.read_bytes()
    text, encoding = utf8_bytes_and_encoding(content, options.encoding, source.name)
    del content
    record_range = locate_records(text, options, source.name)
    names, nameless, header = name_columns(record_range, options)
    columns = split_into_columns(text, record_range, source.name)
    columns = without_repeated_names(columns, record_range.names)
    # Columns that have neither a name nor a value.
    empty = {
        j - 1 for j in nameless if columns[j - 1].null_count == len(columns[j - 1])
    }
    stays = [j for j in range(len(names)) if j not in empty]
    columns = [columns[j] for j in stays]
    refuse_empty_table(len(columns[0]), source.name)
    return _Texts(
        columns,
        [names[j] for j in stays],
        [j for j in nameless if j - 1 not in empty],
        [header[j] for j in stays],
        sorted(empty),
        label_options(names, record_range.labels),
        record_range,
        encoding,
        "\r\n" if b"\r\n" in text[:65_536] else "\n",
    )


def without_repeated_names(columns: list[Any], names: list[str] | None) -> list[Any]:
    """Return columns without records that say the names again."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if names is None:
        return columns
    repetition_mask = pa.scalar(True)
    named_columns = [
        (c, name) for c, name in zip(columns, names, strict=True) if name.strip()
    ]
    if len(named_columns) < 2:
        return columns
    for column, name in named_columns:
        repetition_mask = pc.and_(
            repetition_mask, pc.fill_null(pc.equal(column, name), False)
        )
        if not pc.any(repetition_mask).as_py():
            return columns
    return [column.filter(pc.invert(repetition_mask)) for column in columns]
