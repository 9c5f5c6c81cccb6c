"""Split delimited text into columns; report malformed records by line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.text.csv_rows import allow_long_csv_fields
from engine.files.base import refuse_empty_table
from engine.files.text.endless_lines import MAX_RECORD_BYTES
from engine.files.text.file_text import FileText, open_text
from engine.files.text.record_range import RecordRange

_BLOCK_BYTES = 1 << 23
_MIN_BLOCK_BYTES = 1 << 16
_MAX_RESERVED_BYTES = 1 << 28
"""Bytes that may be reserved at once: a block's length for each column."""


def split_into_columns(text: bytes, record_range: RecordRange, name: str) -> list[Any]:
    """Return the columns of delimited text as Arrow strings, with empty cells null.

    Raises
    ------
    InputError
        If there is no record, or records differ in width; with the line.
    """
    import pyarrow as pa

    refuse_no_records_or_open_quote(text, record_range, name)
    record_range = without_trailing_blank_lines(text, record_range)
    parts = merge_batches(iterate_record_batches(text, record_range, name))
    schema = pa.schema([(str(j), pa.string()) for j in range(record_range.width)])
    return list(pa.Table.from_batches(parts, schema).columns)


def refuse_no_records_or_open_quote(
    text: bytes | FileText, record_range: RecordRange, name: str
) -> None:
    """Raise if there is no record, or a quotation mark is never closed.

    Raises
    ------
    InputError
        With the line.
    """
    start, end = record_range.start, record_range.end
    if text.count(b'"', start, end) % 2:
        _refuse_open_quote(text, record_range, name)
    if not text[start : min(start + 65_536, end)].strip(b"\r\n") and (
        end <= start + 65_536 or not text[start:end].strip(b"\r\n")
    ):
        if text.count(b'"') % 2:
            _refuse_open_quote(text, replace(record_range, start=0), name)
        refuse_empty_table(0, name)


def without_trailing_blank_lines(
    text: bytes | FileText, record_range: RecordRange
) -> RecordRange:
    """Return a range without blank lines at its end, if its records are of one field.

    A blank line within it is then a missing value.
    """
    start, end = record_range.start, record_range.end
    if record_range.width > 1:
        return record_range
    if isinstance(text, FileText):
        end = start + len(text.part(start, end).rstrip(b"\r\n"))
    else:
        end = start + len(text[start:end].rstrip(b"\r\n"))
    return replace(record_range, end=end)


def iterate_record_batches(
    text: bytes | FileText, record_range: RecordRange, name: str
) -> Iterator[Any]:
    """Yield the records of a range as batches of strings, with empty cells null.

    Raises
    ------
    InputError
        If records differ in width; with the line.
    """
    import pyarrow as pa

    start, end, width = record_range.start, record_range.end, record_range.width
    quotes = text.find(b'"', start, end) >= 0
    block = min(_BLOCK_BYTES, max(_MAX_RESERVED_BYTES // width, _MIN_BLOCK_BYTES))
    n_records = 0
    while True:
        if isinstance(text, FileText):
            body = pa.PythonFile(open_text(text, start, end), "r")
        else:
            body = pa.BufferReader(pa.py_buffer(text).slice(start, end - start))
        before = n_records
        try:
            for batch in _record_batches(body, record_range, quotes, block):
                # Each column of a block that was read has room for the whole block; a
                # copy is as large as its text.
                skipped = min(before, batch.num_rows)
                before -= skipped
                if batch.num_rows > skipped:
                    yield pa.concat_batches([batch.slice(skipped)])
                    n_records += batch.num_rows - skipped
        except pa.ArrowInvalid as error:
            limit = min(len(text), MAX_RECORD_BYTES)
            if "straddl" in str(error) and block < limit:
                block = min(8 * block, limit)
                continue
            _refuse_ragged(text, record_range, name)
            raise InputError(
                "File {file!r} cannot be split into records: choose another delimiter.",
                file=name,
            ) from None
        return


def _record_batches(body: Any, layout: RecordRange, quotes: bool, block: int) -> Any:
    """Return a reader of records as Arrow's batches, some `block` bytes each."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    keys = [str(j) for j in range(layout.width)]
    # In one thread: what others took, this one could not use again, and the process
    # would hold up to twice as much, for 0.5 s of 200 MB.
    return arrow_csv.open_csv(
        body,
        arrow_csv.ReadOptions(column_names=keys, block_size=block, use_threads=False),
        arrow_csv.ParseOptions(
            delimiter=layout.delimiter,
            newlines_in_values=quotes,
            ignore_empty_lines=layout.width > 1,
        ),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(keys, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
            check_utf8=False,
        ),
    )


def merge_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches with as many of them made one as a block holds.

    A batch costs some microseconds for each column, which tells where thousands of
    columns let a block hold only some records.
    """
    import pyarrow as pa

    waiting, size = [], 0
    for batch in batches:
        waiting.append(batch)
        size += batch.get_total_buffer_size()
        if size >= _BLOCK_BYTES:
            yield pa.concat_batches(waiting)
            waiting, size = [], 0
    if waiting:
        yield pa.concat_batches(waiting)


def _numbered_records(
    text: bytes | FileText, start: int, end: int, delimiter: str
) -> Iterator[tuple[int, int]]:
    """Yield each record's first line (from 1 in the file) and number of fields."""
    if isinstance(text, FileText):
        above = text.count(b"\n", 0, start)
    else:
        above = len(text[:start].splitlines())
    stream = io.TextIOWrapper(open_text(text, start, end), encoding="utf-8", newline="")
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    line = above + 1
    with allow_long_csv_fields():
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


def _refuse_ragged(text: bytes | FileText, cut: RecordRange, name: str) -> None:
    """Raise, naming the first record that is not as wide as the first one."""
    header, width = cut.names is not None, cut.width
    first = Message("the header") if header else Message("the first record")
    field_counts = _numbered_records(text, cut.start, cut.end, cut.delimiter)
    fitting = 0
    for line, fields in field_counts:
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
        rest = [n for _, n in islice(field_counts, 1000)] if one_more else []
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


def _refuse_open_quote(text: bytes | FileText, cut: RecordRange, name: str) -> None:
    """Raise if the file ends within quotation marks."""
    for line, fields in _numbered_records(text, cut.start, len(text), cut.delimiter):
        if fields == -1:
            raise InputError(
                "A quotation mark in the record at line {line:,} of file {file!r} is "
                "never closed: close it, or double it if it is part of the text.",
                line=line,
                file=name,
            )
