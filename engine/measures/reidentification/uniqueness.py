"""Uniqueness of records in combinations of columns, protected or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from engine.core.typing import Booleans, Integers
from engine.data.persons import count_persons, persons_per_class
from engine.measures.classes import ClassCache

MAX_TELLING_COLUMNS = 3
"""Columns by which somebody might plausibly look a person up."""


@dataclass(frozen=True)
class Uniqueness:
    """How many records, or persons, some columns tell apart.

    Attributes
    ----------
    columns : tuple of str
        Columns by which records are told apart, all together.
    k : int
        Records that are to share all of their values.
    n_records : int
    unique : int
        Records that are the only ones with their values, or persons who are the only
        ones with the values of a record of theirs.
    fewer : int
        Records, or persons, that share such values with fewer than k - 1 others; the
        unique are among them.
    least : int
        Records, or persons, in the smallest class; 0 without columns.
    singling_out : tuple of str
        Columns without which all records share their values with k - 1 others, if
        those that have to stay allow it.
    n_persons : int
        0 where records are counted.
    """

    columns: tuple[str, ...]
    k: int
    n_records: int
    unique: int
    fewer: int
    least: int
    singling_out: tuple[str, ...] = ()
    n_persons: int = 0

    @property
    def n_counted(self) -> int:
        """Persons, where they are counted, otherwise records."""
        return self.n_persons or self.n_records

    @property
    def is_safe(self) -> bool:
        """Whether every record shares its values with at least k - 1 others."""
        return self.fewer == 0

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        return {
            "columns": list(self.columns),
            "k": self.k,
            "n_records": self.n_records,
            **({"n_persons": self.n_persons} if self.n_persons else {}),
            "unique": self.unique,
            "fewer_than_k": self.fewer,
            "smallest": self.least,
            "singling_out": list(self.singling_out),
        }


def count_unique(
    frame: pd.DataFrame,
    columns: Sequence[str],
    k: int,
    protected: Sequence[str] = (),
    persons: Integers | None = None,
    class_cache: ClassCache | None = None,
) -> Uniqueness:
    """Count the records, or persons, that columns tell apart.

    A missing value is a value like any other, as in
    :func:`engine.measures.classes.record_classes`.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
    columns : sequence of str
        Columns to tell records apart by, together; without any, none is told apart.
    protected : sequence of str
        Those of `columns` that are not to be named as singling somebody out.
    persons : ndarray of int64, shape (n_records,), optional
        Who each record is about, where persons are counted.
    class_cache : ClassCache, optional
        Keeps the classes by the columns `protected`, which are all among `columns`.
    """
    codes = ColumnCodes(frame, persons)
    names, cached_classes = tuple(columns), None
    if class_cache is not None and protected:
        cached_classes = class_cache.get_classes(frame, tuple(protected))
    cached_names = set(protected) if cached_classes is not None else set[str]()
    rest = [name for name in names if name not in cached_names]
    sizes = codes.class_sizes(codes.record_classes(rest, cached_classes))
    smallest = int(sizes.min()) if names else 0
    fewer = codes.count(sizes < k) if names else 0
    blamed = _columns_below_k(codes, names, k, protected) if fewer else ()
    unique = codes.count(sizes == 1) if names else 0
    people = 0 if persons is None else count_persons(persons)
    return Uniqueness(names, k, len(frame), unique, fewer, smallest, blamed, people)


def unique_per_column(
    frame: pd.DataFrame, columns: Sequence[str], persons: Integers | None = None
) -> Mapping[str, int]:
    """Return, per column, how many records, or persons, it alone tells from others."""
    codes = ColumnCodes(frame, persons)
    return MappingProxyType(
        {
            name: codes.count(codes.class_sizes(codes.get_codes(name)) == 1)
            for name in columns
        }
    )


def most_identifying_columns(
    frame: pd.DataFrame,
    columns: Sequence[str],
    max_columns: int = MAX_TELLING_COLUMNS,
    persons: Integers | None = None,
) -> tuple[tuple[str, ...], int]:
    """Return few columns that make many records unique, and how many.

    One after the other, each time the column that makes most records unique together
    with those before, until no column makes more unique or divides a class.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
    columns : sequence of str
    max_columns : int
        Columns to name at most.
    persons : ndarray of int64, shape (n_records,), optional
        Where persons are counted.
    """
    codes = ColumnCodes(frame, persons)
    chosen: tuple[str, ...] = ()
    so_far, n_unique = np.zeros(len(frame), dtype=np.int64), 0
    all_of_them = codes.count(np.ones(len(frame), dtype=np.bool_))
    while len(chosen) < max_columns and n_unique < all_of_them:
        best = None
        for name in columns:
            if name in chosen:
                continue
            joined = codes.refine_classes(so_far, name)
            count = codes.count(codes.class_sizes(joined) == 1)
            # Of columns that tell as much, those that tell more apart come first.
            rank = (count, int(joined.max()))
            if best is None or rank > best[0]:
                best = rank, name, joined
        if best is None or (best[0][0] <= n_unique and best[0][1] <= int(so_far.max())):
            break
        (n_unique, _), name, so_far = best
        chosen = (*chosen, name)
    return chosen, n_unique


def _columns_below_k(
    codes: ColumnCodes, names: Sequence[str], k: int, protected: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns that break up classes of k records, in the given order.

    Those with few values are let stay first, as long as all classes have k records.
    """
    so_far = codes.record_classes([name for name in names if name in protected])
    others = [name for name in names if name not in protected]
    blamed = set()
    for name in sorted(others, key=lambda column: int(codes.get_codes(column).max())):
        joined = codes.refine_classes(so_far, name)
        if int(codes.class_sizes(joined).min()) < k:
            blamed.add(name)
        else:
            so_far = joined
    return tuple(name for name in names if name in blamed)


class ColumnCodes:
    """Columns of a table as codes, each column encoded once.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
    persons : ndarray of int64, shape (n_records,), optional
        Where persons are counted.
    """

    def __init__(self, frame: pd.DataFrame, persons: Integers | None = None) -> None:
        self._frame, self._persons = frame, persons
        self._known: dict[str, Integers] = {}

    def get_codes(self, name: str) -> Integers:
        """Return a number per value, shape (n_records,), from 0 without holes."""
        if name not in self._known:
            codes = pd.factorize(self._frame[name], use_na_sentinel=False)[0]
            self._known[name] = codes.astype(np.int64)
        return self._known[name]

    def refine_classes(self, classes: Integers, name: str) -> Integers:
        """Return classes divided further by a column."""
        codes = self.get_codes(name)
        # The product of two counts of records below 2^31 fits.
        both = classes * (int(codes.max()) + 1) + codes
        return pd.factorize(both)[0].astype(np.int64)

    def record_classes(
        self, names: Sequence[str], begun: Integers | None = None
    ) -> Integers:
        """Return the classes of records that share their values in all columns.

        The columns divide classes that are `begun` with, or the whole table.
        """
        classes = begun
        if classes is None:
            classes = np.zeros(len(self._frame), dtype=np.int64)
        for name in names:
            if classes.size and int(classes.max()) == classes.size - 1:
                break  # all are told apart, and no further column changes that
            classes = self.refine_classes(classes, name)
        return classes

    def class_sizes(self, classes: Integers) -> Integers:
        """Return, per record, the records or persons in its class, (n_records,)."""
        return persons_per_class(classes, self._persons)[classes]

    def count(self, records: Booleans) -> int:
        """Return the number of records, or persons, that a bool mask selects."""
        if self._persons is not None:
            return count_persons(self._persons[records])
        return int(records.sum())
