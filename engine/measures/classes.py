"""Equivalence classes: records with equal quasi-identifiers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.core.errors import ParameterError
from engine.core.typing import Integers
from engine.data.persons import k_of_persons
from engine.data.schema import unknown_column_error


def record_classes(frame: pd.DataFrame, columns: tuple[str, ...]) -> Integers:
    """Return the class label of each record, by equal values in `columns`.

    A missing value is a value like any other: it equals only a missing value.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
    columns : tuple of str
        The quasi-identifiers.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Classes are numbered 0, 1, ... by their first record.

    Raises
    ------
    ParameterError
        If there is no column, or one does not exist.
    """
    if not columns:
        raise ParameterError(
            "There is no quasi-identifier: name at least one column by which "
            "somebody could be recognised."
        )
    names = tuple(map(str, frame.columns))
    for name in columns:
        if name not in names:
            raise unknown_column_error(name, names)
    n = len(frame)
    codes, first = np.zeros(n, dtype=np.int64), np.zeros(min(n, 1), dtype=np.int64)
    for name in columns:
        # In a release most columns divide no class further, which is told quickly.
        if _is_constant_within(frame[name], first[codes]):
            continue
        column_codes, values = pd.factorize(frame[name], use_na_sentinel=False)
        # Renumber after each column: the product of two counts below 2^31 fits.
        codes = pd.factorize(codes * len(values) + column_codes)[0].astype(np.int64)
        first = np.empty(int(codes.max(initial=-1)) + 1, dtype=np.int64)
        first[codes[::-1]] = np.arange(n)[::-1]
    return codes


def _is_constant_within(column: pd.Series, first_records: Integers) -> bool:
    """Return whether each record has the value of the first one of its class.

    False, unlooked at, for columns that are no NumPy numbers, dates or flags.

    Parameters
    ----------
    column : pandas.Series, n_records rows
    first_records : ndarray of int64, shape (n_records,)
        The first record in the class of each.
    """
    if not isinstance(column.dtype, np.dtype) or column.dtype == object:
        return False
    values = column.to_numpy()
    of_first = values[first_records]
    same = values == of_first
    if values.dtype.kind == "f":
        same |= np.isnan(values) & np.isnan(of_first)
    return bool(same.all())


def smallest_class_size(
    frame: pd.DataFrame,
    columns: tuple[str, ...],
    persons: Integers | None = None,
    intruder_knows: str = "one",
) -> int:
    """Return the k of a table: the size of its smallest class, in records or persons.

    Raises what :func:`record_classes` does.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
    columns : tuple of str
        The quasi-identifiers.
    persons : ndarray of int64, shape (n_records,), optional
        Who records are about, -1 nobody, where k counts persons.
    intruder_knows : {"one", "all", "counts"}
        As of :func:`engine.data.persons.k_of_persons`.
    """
    return k_of_persons(record_classes(frame, columns), persons, intruder_knows)


class ClassCache:
    """Cache of equivalence classes of one release and its original.

    Ten measures want the same ones, and in a large table they are what takes longest.
    """

    def __init__(self) -> None:
        self._known: list[tuple[pd.DataFrame, tuple[str, ...], Integers]] = []

    def get_classes(self, frame: pd.DataFrame, columns: tuple[str, ...]) -> Integers:
        """Return the classes of :func:`record_classes`, cached and read-only.

        Takes and raises the same.
        """
        for cached_frame, by, classes in self._known:
            if cached_frame is frame and by == columns:
                return classes
        classes = record_classes(frame, columns)
        classes.flags.writeable = False
        self._known.append((frame, columns, classes))
        return classes
