"""Counts of the persons that columns of a table name."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from engine.data.persons import PersonCounts, code_persons, count_near_duplicates
from engine.data.table import Table

_COUNTED: WeakKeyDictionary[Table, dict[tuple[str, ...], PersonCounts]] = (
    WeakKeyDictionary()
)
"""How many persons columns of tables name, by table and columns."""


def make_person_counts(table: Table, person_columns: tuple[str, ...]) -> PersonCounts:
    """Return counts of the persons that some columns together identify; cached."""
    cache = _COUNTED.setdefault(table, {})
    if person_columns not in cache:
        codes = code_persons(table.frame, person_columns)[table.record_rows]
        n_alike = count_near_duplicates(table.frame, person_columns)
        cache[person_columns] = PersonCounts.from_codes(codes, n_alike)
    return cache[person_columns]
