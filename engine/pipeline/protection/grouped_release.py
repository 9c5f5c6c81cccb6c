"""Releases kept as one value for each group, whose records are made when looked at.

A server holds dozens of releases of one table, and people look at one or two of them.
What all records of a group share is kept once: of groups of k records, a k-th part.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.core.partition import Labels
from engine.pipeline.outcome import Release


class GroupedRelease(Release):
    """A release that holds group values and makes its frame of records when asked.

    The frame is kept until that of another release of this process is made.

    Parameters
    ----------
    original : pandas.DataFrame
        The table that was protected; columns that are its own are taken from it.
    columns : sequence of str
        All that are released, in their order.
    common : pandas.DataFrame, n_groups rows
        Columns that have one value in each group.
    own : pandas.DataFrame, n_records rows
        Columns that are neither the table's nor the same within groups.
    labels : ndarray of int64, shape (n_records,)
        Group of each record.
    rows : ndarray of int64, shape (n_records,)
    rules : tuple of str
        Both as in :class:`engine.pipeline.outcome.Release`.

    Raises
    ------
    ValueError
        If these do not fit together.
    """

    _with_frame: weakref.ref[GroupedRelease] | None = None
    _lock = threading.RLock()

    def __init__(
        self,
        original: pd.DataFrame,
        columns: Sequence[str],
        common: pd.DataFrame,
        own: pd.DataFrame,
        labels: Labels,
        rows: NDArray[np.int64],
        rules: tuple[str, ...] = (),
    ) -> None:
        known_columns = {*original.columns, *common.columns, *own.columns}
        if not (
            known_columns.issuperset(columns)
            and labels.size == rows.size
            and (own.empty or len(own) == rows.size)
            and labels.size > 0
            and 0 <= labels.min() <= labels.max() < len(common)
            and 0 <= rows.min() <= rows.max() < len(original)
        ):
            raise ValueError("Columns, groups and rows of a release do not fit.")
        names: tuple[str, ...] = tuple(columns)
        vars(self).update(
            original=original,
            common=common,
            own=own,
            labels=labels,
            rows=rows,
            rules=rules,
            _columns=names,
            _frame=None,
        )

    original: pd.DataFrame
    common: pd.DataFrame
    own: pd.DataFrame
    labels: Labels
    _columns: tuple[str, ...]
    _frame: pd.DataFrame | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the released columns, in their order."""
        return self._columns

    @property
    def nbytes(self) -> int:
        """Bytes of the group values and of the columns of records."""
        parts = (self.common, self.own)
        return sum(int(part.memory_usage(index=False).sum()) for part in parts)

    @property
    def frame(self) -> pd.DataFrame:
        """The protected records; see :class:`engine.pipeline.outcome.Release`."""
        released_frame = self._frame
        if released_frame is None:
            released_frame = self._make_frame()
            with GroupedRelease._lock:
                forget_last_released_frame()
                vars(self)["_frame"] = released_frame
                GroupedRelease._with_frame = weakref.ref(self)
        return released_frame

    def _make_frame(self) -> pd.DataFrame:
        records = _original_records(self.original, self.rows)
        series_by_column: dict[str, pd.Series] = {}
        for name in self._columns:
            if name in self.common:
                values = self.common[name].array.take(self.labels)
            elif name in self.own:
                values = self.own[name].array
            else:
                series_by_column[name] = records[name]
                continue
            series_by_column[name] = pd.Series(values, records.index, copy=False)
        # Column by column, which shares memory: as one frame they would be copied.
        return pd.concat(series_by_column, axis="columns")


def forget_last_released_frame() -> None:
    """Forget the records of the release of this process whose frame was made last."""
    with GroupedRelease._lock:
        last = GroupedRelease._with_frame
        release = None if last is None else last()
        if release is not None:
            vars(release)["_frame"] = None


def group_release(
    release: Release, labels: Labels, original: pd.DataFrame
) -> GroupedRelease:
    """Return a release with the same frame that holds one value for each group.

    Parameters
    ----------
    release : Release
    labels : ndarray of int64, shape (n_records,)
        Group of each record; columns that vary within groups are kept as they are.
    original : pandas.DataFrame
        The table that was protected.
    """
    if isinstance(release, GroupedRelease) and release.original is original:
        return release
    frame = release.frame
    source = _original_records(original, release.rows)
    changed = [
        name
        for name in frame.columns
        if name not in source or not source[name].equals(frame[name])
    ]
    first = np.empty(int(labels.max()) + 1, dtype=np.int64)
    first[labels[::-1]] = np.arange(labels.size)[::-1]  # the last to be set stays
    leading = first[labels]
    varying_columns = [name for name in changed if not _is_common(frame[name], leading)]
    common = [name for name in changed if name not in varying_columns]
    return GroupedRelease(
        original,
        tuple(frame.columns),
        frame[common].iloc[first].reset_index(drop=True),
        frame[varying_columns].reset_index(drop=True),
        labels,
        release.rows,
        release.rules,
    )


@lru_cache(maxsize=1)
def all_row_numbers(n_records: int) -> NDArray[np.int64]:
    """Return a shared read-only array of the row numbers 0 to n_records - 1."""
    rows = np.arange(n_records)
    rows.flags.writeable = False
    return rows


def is_release_of_all_rows(rows: NDArray[np.int64], n_records: int) -> bool:
    """Return whether a release has all of the table's records, in their order."""
    return rows.size == n_records and bool((rows == np.arange(n_records)).all())


def _original_records(frame: pd.DataFrame, rows: NDArray[np.int64]) -> pd.DataFrame:
    """Return the table's records in the release; all of them share its memory."""
    return frame if is_release_of_all_rows(rows, len(frame)) else frame.iloc[rows]


def _is_common(column: pd.Series, leading: NDArray[np.int64]) -> bool:
    """Return whether each record has the very value of the one that leads its group."""
    if column.dtype == np.float64:
        # By their bits: 0 and -0 are equal, and not the same.
        bits = column.to_numpy().view(np.int64)
        return bool((bits == bits[leading]).all())
    if column.dtype == object and pd.api.types.infer_dtype(column, False) != "string":
        return False  # 1 and True are equal, and not the same; None and NaN, too
    return pd.Series(column.array.take(leading), column.index).equals(column)
