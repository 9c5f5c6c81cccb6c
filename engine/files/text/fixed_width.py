"""Fixed-width text, with column positions from a layout; read only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from engine.core.errors import InputError
from engine.core.text.encoding import utf8_bytes_and_encoding
from engine.files.base import FormatInfo, formats, refuse_empty_table
from engine.files.cells.casting import arrow_text_to_series
from engine.files.cells.locale import infer_locale
from engine.files.input.options import ReadOptions
from engine.files.input.reading import TextColumnConverter, to_stored_text
from engine.files.input.source import InputBytes
from engine.files.read_only import ReadOnlyFormat
from engine.files.text.endless_lines import refuse_endless_lines_of_source
from engine.files.text.fixed_width_layout import (
    ColumnPosition,
    fixed_width_layout_to_text,
    parse_fixed_width_layout,
)


@formats.register(
    FormatInfo(
        id="fixed-width",
        title="fixed-width text",
        suffixes=(".dat", ".asc", ".fwf"),
        options=("decimal", "encoding", "forms", "missing", "layout"),
        writable=False,
        typed=False,
        media_type="text/plain",
    )
)
class FixedWidthFormat(ReadOnlyFormat):
    """Reader of text with one record per line, and each column at fixed positions."""

    title, instead = "fixed-width text", ".csv"
    check_before_reading = staticmethod(refuse_endless_lines_of_source)

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read the columns of a layout; see :meth:`Format.read`."""
        if options.layout is None:
            raise InputError(
                "File {file!r} is fixed-width text, which needs a layout: say the "
                "name, first and last place of each column, as in "
                '"age 1-3, income 4-11", or give such a file, or a metadata file of '
                "mu-ARGUS.",
                file=source.name,
            )
        places = parse_fixed_width_layout(options.layout)
        columns, encoding = _read_text(source, places, options)
        names = [place.name for place in places]
        file = infer_locale(columns, "\t", options.decimal)
        codes = {
            position.name: position.missing for position in places if position.missing
        }
        reading_options = replace(
            options, missing={**codes, **(options.missing or {})} or None
        )
        reading = TextColumnConverter(names, reading_options)
        series = {
            name: reading.read_column(name, column, file)
            for name, column in zip(names, columns, strict=True)
        }
        return pd.DataFrame(series, copy=False), {
            "layout": fixed_width_layout_to_text(places),
            "encoding": encoding,
            "decimal": file.decimal,
            "inexact": reading.inexact,
            "decimals": reading.decimals,
            "whole_decimals": reading.whole_decimals,
            **reading.effective_options(),
        }

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return the text of each cell; see :meth:`Format.carried`."""
        places = [
            position
            for position in parse_fixed_width_layout(options["layout"])
            if position.name in names
        ]
        how = ReadOptions.from_used_options(options)
        columns, _ = _read_text(source, places, how)
        return {
            place.name: arrow_text_to_series(column)
            for place, column in zip(places, columns, strict=True)
        }

    adapt_carried = staticmethod(to_stored_text)


def _read_text(
    source: InputBytes, places: Sequence[ColumnPosition], options: ReadOptions
) -> tuple[list[Any], str]:
    """Return the text of columns, and the encoding of the file."""
    text, encoding = utf8_bytes_and_encoding(
        source.read_bytes(), options.encoding, source.name
    )
    return _cut_columns(text, places, source.name), encoding


def _cut_columns(text: bytes, places: Sequence[ColumnPosition], name: str) -> list[Any]:
    """Return the text of each column, blank cells null.

    Raises InputError if there is no record, or a line ends before the first column
    does.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = text.decode().split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    refuse_empty_table(len(lines), name)
    last = max(place.end for place in places)
    every = pa.chunked_array([pa.array(lines, pa.string())])
    every = pc.utf8_rtrim(every, "\r")
    lengths = pc.utf8_length(every)
    min_start = min(place.start for place in places)
    short = pc.index(pc.less(lengths, min_start), True).as_py()
    if short >= 0:
        raise InputError(
            "Line {line:,} of file {file!r} has {count:,} character, but the layout "
            "has columns up to place {last:,}: correct the line or the layout.",
            "Line {line:,} of file {file!r} has {count:,} characters, but the layout "
            "has columns up to place {last:,}: correct the line or the layout.",
            line=short + 1,
            file=name,
            count=lengths[short].as_py(),
            last=last,
        )
    if pc.max(lengths).as_py() < max(place.start for place in places):
        raise InputError(
            "No line of file {file!r} has more than {count:,} character, but the "
            "layout has columns up to place {last:,}: check the layout.",
            "No line of file {file!r} has more than {count:,} characters, but the "
            "layout has columns up to place {last:,}: check the layout.",
            file=name,
            count=pc.max(lengths).as_py(),
            last=last,
        )
    columns = []
    for place in places:
        cells = pc.utf8_trim_whitespace(
            pc.utf8_slice_codeunits(every, place.start - 1, place.end)
        )
        none = pa.scalar(None, pa.string())
        columns.append(pc.if_else(pc.equal(cells, ""), none, cells))
    return columns
