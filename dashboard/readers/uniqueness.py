"""Counts of records or people who are unique before protection, here or in a process.

All protected columns of all records are gone through, some of them a dozen times.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from engine.data.persons import code_persons, has_repeated_persons
from engine.data.schema import Schema
from engine.data.table import Table
from engine.measures.reidentification.uniqueness import (
    count_unique,
    most_identifying_columns,
    unique_per_column,
)
from engine.storage.bounded_reading import read_validated_json
from engine.storage.outcomes import load_table, save_table, write_json

MAX_CANDIDATE_COLUMNS = 24
"""Columns with the most different values: the most telling are among them."""

_TABLE, _FOUND = "given-table", "found.json"


@dataclass(frozen=True)
class UniquenessCount:
    """Counts of who is unique by all quasi-identifiers, a few of them, each of the few.

    Attributes
    ----------
    unique, n_counted : int
        Who is unique by all protected columns, and of how many: records that are the
        only ones with their values; people who are for one record of theirs at least.
    are_people : bool
    together : tuple of str
        Few columns that tell the most apart.
    unique_together : int
        How many of the counted these few columns make unique.
    alone : tuple of (str, int)
        The same few columns, and how many each makes unique alone.
    """

    unique: int
    n_counted: int
    are_people: bool
    together: tuple[str, ...]
    unique_together: int
    alone: tuple[tuple[str, int], ...]


def count_identifiable_records(
    table: Table, person_columns: tuple[str, ...] = ()
) -> UniquenessCount:
    """Return counts of the records, or people, that quasi-identifiers make unique.

    Parameters
    ----------
    person_columns : tuple of str
        Which together say who a record is about; records are counted without any.
    """
    names, frame = table.schema.quasi_identifiers, table.frame
    persons = code_persons(frame, person_columns) if person_columns else None
    if persons is not None and not has_repeated_persons(persons):
        persons = None
    whole = count_unique(frame, names, k=1, persons=persons)
    candidates = sorted(names, key=table.n_distinct, reverse=True)[
        :MAX_CANDIDATE_COLUMNS
    ]
    joint_columns, unique = most_identifying_columns(frame, candidates, persons=persons)
    single_counts = unique_per_column(frame, joint_columns, persons)
    return UniquenessCount(
        whole.unique,
        whole.n_counted,
        persons is not None,
        joint_columns,
        unique,
        tuple((name, single_counts[name]) for name in joint_columns),
    )


def make_uniqueness_input_writer(
    table: Table, person_columns: tuple[str, ...] = ()
) -> Callable[[Path], None]:
    """Return a function that writes quasi-identifier and person columns to a folder."""
    names = tuple(dict.fromkeys(table.schema.quasi_identifiers + person_columns))
    columns = (replace(table.schema[name], hierarchy=None) for name in names)
    narrow = replace(
        table,
        frame=table.frame[list(names)],
        schema=Schema(tuple(columns)),
        carried=None,
    )

    def write(folder: Path) -> None:
        save_table(narrow, folder / _TABLE)
        (folder / "content").write_text(json.dumps(person_columns), encoding="utf-8")

    return write


def count_identifiable_in_process(
    content: bytes, order: Mapping[str, Any], folder: Path
) -> None:
    """Count unique records or people; write the counts to the order's folder."""
    person_columns = tuple(json.loads(content))
    counts = count_identifiable_records(load_table(folder / _TABLE), person_columns)
    write_json(folder / _FOUND, _COUNT_ADAPTER.dump_python(counts, mode="json"))


_COUNT_ADAPTER = TypeAdapter(UniquenessCount)

_MAX_COUNT_BYTES = 2**20
"""Bytes of what was counted."""


def fetch_uniqueness_count(folder: Path) -> UniquenessCount:
    """Return the counts of unique records or people in an order's folder."""
    return read_validated_json(folder / _FOUND, _COUNT_ADAPTER, _MAX_COUNT_BYTES)
