"""Count of unique records in a table before protection, by a process if it is slow.

All protected columns of all records are gone through, some of them a dozen times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from engine.data.schema import Schema
from engine.data.table import Table
from engine.measures.uniqueness import (
    count_unique,
    most_identifying_columns,
    unique_per_column,
)
from engine.storage.bounded import read_validated_json
from engine.storage.outcomes import load_table, save_table, write_json

MAX_CANDIDATE_COLUMNS = 24
"""Columns with the most different values: the most telling are among them."""

_TABLE, _FOUND = "given-table", "found.json"


@dataclass(frozen=True)
class UniquenessCount:
    """Numbers of records made unique by columns: by all, by some, and by each alone.

    Attributes
    ----------
    unique, n_records : int
        Records that are the only ones with their values in all protected columns.
    together : tuple of str
        Few columns that tell the most records apart.
    unique_together : int
        Records that these few make unique.
    alone : tuple of (str, int)
        Those columns, and how many records each makes unique.
    """

    unique: int
    n_records: int
    together: tuple[str, ...]
    unique_together: int
    alone: tuple[tuple[str, int], ...]


def count_identifiable_records(table: Table) -> UniquenessCount:
    """Return how many records the quasi-identifiers make unique."""
    names = table.schema.quasi_identifiers
    frame = table.frame
    whole = count_unique(frame, names, k=1)
    candidates = sorted(names, key=table.n_distinct, reverse=True)[
        :MAX_CANDIDATE_COLUMNS
    ]
    together, unique = most_identifying_columns(frame, candidates)
    alone = unique_per_column(frame, together)
    return UniquenessCount(
        whole.unique,
        table.n_records,
        together,
        unique,
        tuple((name, alone[name]) for name in together),
    )


def make_protected_columns_writer(table: Table) -> Callable[[Path], None]:
    """Return a function that writes the quasi-identifiers into an order's folder."""
    names = table.schema.quasi_identifiers
    columns = (replace(table.schema[name], hierarchy=None) for name in names)
    narrow = replace(
        table,
        frame=table.frame[list(names)],
        schema=Schema(tuple(columns)),
        carried=None,
    )

    def write(folder: Path) -> None:
        save_table(narrow, folder / _TABLE)
        (folder / "content").write_bytes(b"")

    return write


def count_identifiable_in_process(
    content: bytes, order: Mapping[str, Any], folder: Path
) -> Mapping[str, Any]:
    """Count identifiable records; write the counts to the order's folder."""
    found = count_identifiable_records(load_table(folder / _TABLE))
    write_json(folder / _FOUND, _COUNT_ADAPTER.dump_python(found, mode="json"))
    return {}


_COUNT_ADAPTER = TypeAdapter(UniquenessCount)

_MAX_COUNT_BYTES = 2**20
"""Bytes of what was counted."""


def fetch_uniqueness_count(folder: Path) -> UniquenessCount:
    """Return the counts of identifiable records in an order's folder."""
    return read_validated_json(folder / _FOUND, _COUNT_ADAPTER, _MAX_COUNT_BYTES)
