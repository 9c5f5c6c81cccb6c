"""Options, gap texts and flags by which the checker reads a certificate's columns."""

from __future__ import annotations

import codecs
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.certificate import certify as checker
from engine.core.text.csv_rows import iterate_csv_rows
from engine.core.typing import Booleans
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.table import Table


def delimited_reading_options(table: Table) -> dict[str, Any] | None:
    """Return how to read a delimited text with one header row; None for other files."""
    options: Mapping[str, Any] = table.origin.options
    header = str(options.get("header_row") or 1)
    is_named = bool(options.get("header", True))
    if table.origin.format != "csv" or not is_named or not header.isdigit():
        return None
    return {
        "encoding": codecs.lookup(options["encoding"]).name,
        "delimiter": options["delimiter"],
        "decimal": options["decimal"],
        "header": int(header),
        "footer": int(options.get("footer_rows") or 0),
    }


def add_read_flags_and_gap_texts(
    certificate: dict[str, Any], file: bytes, table: Table
) -> None:
    """Set, in a certificate, the gap texts of columns, and whether each can be read.

    Parameters
    ----------
    certificate : dict
        A certificate, with all but its proofs.
    file : bytes
    table : Table
        What was read of the file, with the kinds and hierarchies of the run.
    """
    columns, weights = certificate["columns"], certificate["weights"]
    for column in columns:
        gaps = np.isnan(read_attribute_and_numbers(table, column["name"])[1])
        if gaps.any():
            column["missing"] = _missing_cell_texts(
                file, certificate["reading"], column["name"], gaps
            )
    for column in [*columns, *([weights] if weights else [])]:
        column["read"] = _can_be_read(file, certificate, column)


def _missing_cell_texts(
    file: bytes, reading: dict[str, Any] | None, name: str, gaps: Booleans
) -> list[str]:
    """Return what stands in a column's cells of a delimited text that hold no value."""
    if reading is None:
        return []
    text = io.StringIO(file.decode(reading["encoding"]), newline="")
    rows = list(iterate_csv_rows(text, reading["delimiter"]))
    header, body = rows[reading["header"] - 1], rows[reading["header"] :]
    if header.count(name) != 1:
        return []
    at, body = header.index(name), [row for row in body if row]
    pairs = zip(body, gaps.tolist(), strict=False)  # without what stands below
    return sorted({row[at] for row, gap in pairs if gap and len(row) > at})


def _can_be_read(file: bytes, content: dict[str, Any], column: Any) -> bool:
    """Return whether the checker finds a column's numbers in the file."""
    if content["reading"] is None:
        return False
    try:
        checker.compare_columns(file, content, [column])
    except (checker.Refused, *checker.DAMAGE):
        return False
    return True
