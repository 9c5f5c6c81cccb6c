"""From table to numbers: pick the quasi-identifiers, settle missing values, scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.errors import InputError, ParameterError
from engine.registry import Registry
from engine.table import Kind, Table, unknown_column

Values = NDArray[np.float64]

MissingPolicy = Literal["refuse", "drop", "median", "mode"]
"""What to do with a record whose quasi-identifier is missing."""


@dataclass(frozen=True)
class ScalingInfo:
    """A scaling's name and meaning."""

    id: str
    title: str
    summary: str
    aliases: tuple[str, ...] = ()


Scaling = Callable[[Values], tuple[Values, Values]]
"""``scaling(values)`` gives (centre, scale), each (n_attributes,); no scale is 0."""

scalings: Registry[ScalingInfo, Scaling] = Registry("scaling")
"""All scalings, by identifier."""


LARGEST = 1e150
"""Beyond this, squares of values and their sums are no numbers any more."""


def _nonzero(scale: Values, values: Values) -> Values:
    """Return 1 for constant columns, whose scale is 0 or rounding noise."""
    varies = values.max(axis=0) > values.min(axis=0)
    return np.where(varies & (scale > 0), scale, 1.0)


@scalings.register(
    ScalingInfo("zscore", "Z-score", "Mean 0 and standard deviation 1 per column.")
)
def _zscore(values: Values) -> tuple[Values, Values]:
    centre = values.mean(axis=0)
    return centre, _nonzero(values.std(axis=0), values)


@scalings.register(
    ScalingInfo("range", "Range", "Smallest value 0 and largest value 1 per column.")
)
def _range(values: Values) -> tuple[Values, Values]:
    low = values.min(axis=0)
    return low, _nonzero(values.max(axis=0) - low, values)


@scalings.register(
    ScalingInfo("none", "None", "Values as they are: the largest unit decides.")
)
def _none(values: Values) -> tuple[Values, Values]:
    p = values.shape[1]
    return np.zeros(p), np.ones(p)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Records prepared for grouping.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous, read-only, without NaN: ``(values - centre) / scale``.
    values : ndarray of float64, shape (n_records, n_attributes)
        The same records in their own units, missing values settled.
    names : tuple of str
        Columns, in the order of X.
    centre, scale : ndarray of float64, shape (n_attributes,)
    rows : ndarray of int64, shape (n_records,)
        Row of the table that each record came from.
    filled : mapping of str to ndarray of int64
        Rows of the table whose missing value in that column was filled in.
    warnings : tuple of str
    categories : mapping of str to ndarray of int64
        Codes of categorical columns; empty while all columns are numbers.
    """

    X: Values
    values: Values
    names: tuple[str, ...]
    centre: Values
    scale: Values
    rows: NDArray[np.int64]
    filled: Mapping[str, NDArray[np.int64]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    warnings: tuple[str, ...] = ()
    categories: Mapping[str, NDArray[np.int64]] = field(
        default_factory=lambda: MappingProxyType({})
    )

    @classmethod
    def from_array(cls, X: Values) -> Encoded:
        """Wrap values that need no preparation.

        Parameters
        ----------
        X : ndarray of float64, shape (n_records, n_attributes)
        """
        values = np.ascontiguousarray(X, dtype=np.float64)
        if values is X:
            values = values.view()
        values.flags.writeable = False
        n, p = values.shape
        return cls(
            X=values,
            values=values,
            names=tuple(f"x{j}" for j in range(p)),
            centre=np.zeros(p),
            scale=np.ones(p),
            rows=np.arange(n, dtype=np.int64),
        )

    def subset(self, records: NDArray[np.int64]) -> Encoded:
        """Return only the given records, on the same centre and scale."""
        X = np.ascontiguousarray(self.X[records])
        values = np.ascontiguousarray(self.values[records])
        X.flags.writeable = values.flags.writeable = False
        return Encoded(
            X=X,
            values=values,
            names=self.names,
            centre=self.centre,
            scale=self.scale,
            rows=self.rows[records],
            filled=self.filled,
            categories={
                name: codes[records] for name, codes in self.categories.items()
            },
        )

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.X.shape[0])

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return int(self.X.shape[1])


def encode(
    table: Table,
    columns: tuple[str, ...],
    scaling: str = "zscore",
    missing: MissingPolicy = "refuse",
) -> Encoded:
    """Prepare quasi-identifiers for grouping.

    Parameters
    ----------
    table : Table
    columns : tuple of str
        The quasi-identifiers.
    scaling : str
        Identifier in :data:`scalings`.
    missing : {"refuse", "drop", "median", "mode"}
        What happens to records with a missing quasi-identifier: an error, leaving
        the record out of the release, or filling in the column's median or mode.

    Raises
    ------
    ParameterError
        If there is no quasi-identifier, or a column does not exist.
    InputError
        If a column is not numeric, has infinite or huge values, or has missing values
        that `missing` refuses.
    """
    if not columns:
        raise ParameterError(
            "There is no quasi-identifier: name at least one column by which "
            "somebody could be recognised."
        )
    if len(set(columns)) < len(columns):
        name = next(c for c in columns if columns.count(c) > 1)
        raise ParameterError(f"Quasi-identifier {name!r} is named twice.")
    raw = np.column_stack([numeric_values(table, name) for name in columns])
    rows, raw, filled, warnings = _settle_missing(raw, columns, missing)
    for name, spread in zip(columns, np.ptp(raw, axis=0), strict=True):
        if spread == 0:
            warnings.append(
                f"Quasi-identifier {name!r} is constant: it does not influence "
                "the groups."
            )
    centre, scale = scalings.get(scaling)(raw)
    X = np.ascontiguousarray((raw - centre) / scale)
    X.flags.writeable = False
    raw.flags.writeable = False
    return Encoded(X, raw, columns, centre, scale, rows, filled, tuple(warnings))


def numeric_values(table: Table, name: str) -> Values:
    """Return one column as float64, missing values as NaN, shape (n_records,).

    Raises
    ------
    ParameterError
        If the table has no such column.
    InputError
        If the column is not a column of finite numbers up to :data:`LARGEST`.
    """
    if name not in table.schema:
        raise unknown_column(name, table.schema.names)
    column = table.frame[name]
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise InputError(_not_numeric(column, name))
    if table.schema[name].kind is Kind.NOMINAL:
        raise InputError(
            f"Column {name!r} is declared nominal, so the mean of its values means "
            "nothing: make it continuous or ordinal, or give it another role."
        )
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise InputError(
            f"Column {name!r} has {_count(infinite.size, 'infinite value')}, the "
            f"first in record {infinite[0] + 1}: correct or empty these cells."
        )
    huge = np.flatnonzero(np.abs(values) > LARGEST)
    if huge.size:
        raise InputError(
            f"Column {name!r} holds numbers too large to compute with, the first in "
            f"record {huge[0] + 1}: express it in a larger unit."
        )
    return values


def _not_numeric(column: pd.Series, name: str) -> str:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return (
            f"Column {name!r} holds dates, but a quasi-identifier must hold numbers "
            "here: give it another role, or add a column with the year."
        )
    text = pd.to_numeric(column, errors="coerce").isna() & column.notna()
    bad = np.flatnonzero(text.to_numpy())
    if bad.size == 0:
        where = "numbers stored as text"
    elif bad.size == column.notna().sum():
        where = "text"
    else:
        where = f"text in {_count(bad.size, 'record')}, first in record {bad[0] + 1},"
    return (
        f"Column {name!r} holds {where} but a quasi-identifier must hold numbers "
        "here: correct these cells or give the column another role."
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _settle_missing(
    raw: Values, columns: tuple[str, ...], policy: MissingPolicy
) -> tuple[NDArray[np.int64], Values, dict[str, NDArray[np.int64]], list[str]]:
    """Apply the policy; return (rows kept, values, rows filled, warnings)."""
    if policy not in get_args(MissingPolicy):
        raise ParameterError(
            f"There is no way called {policy!r} to treat missing values: it must be "
            f"one of {', '.join(get_args(MissingPolicy))}."
        )
    holes = np.isnan(raw)
    every_row = np.arange(raw.shape[0], dtype=np.int64)
    if not holes.any():
        return every_row, raw, {}, []
    for j, name in enumerate(columns):
        if holes[:, j].all():
            raise InputError(
                f"Column {name!r} has no values at all: give it another role."
            )
    where = "; ".join(
        f"{name!r} {holes[:, j].sum():,} (first in record "
        f"{int(np.argmax(holes[:, j])) + 1})"
        for j, name in enumerate(columns)
        if holes[:, j].any()
    )
    if policy == "refuse":
        raise InputError(
            f"Missing values in quasi-identifiers: {where}. Drop these records "
            "(missing = drop), or fill in the column's median or mode "
            "(missing = median, missing = mode)."
        )
    if policy == "drop":
        kept = every_row[~holes.any(axis=1)]
        dropped = raw.shape[0] - kept.size
        if kept.size == 0:
            raise InputError(
                "Every record has a missing quasi-identifier, so dropping them "
                "leaves nothing: fill in the median or mode instead."
            )
        message = f"{_count(dropped, 'record')} with missing values dropped: {where}."
        return kept, raw[kept], {}, [message]
    raw = raw.copy()
    filled = {}
    for j, name in enumerate(columns):
        if holes[:, j].any():
            present = raw[~holes[:, j], j]
            raw[holes[:, j], j] = (
                np.median(present) if policy == "median" else _mode(present)
            )
            filled[name] = np.flatnonzero(holes[:, j]).astype(np.int64)
    return (
        every_row,
        raw,
        filled,
        [f"Missing values filled with the {policy}: {where}."],
    )


def _mode(values: Values) -> float:
    """Return the most frequent value; of several, the smallest."""
    found, counts = np.unique(values, return_counts=True)
    return float(found[np.argmax(counts)])
