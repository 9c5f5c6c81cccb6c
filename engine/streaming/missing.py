"""Records with missing quasi-identifiers: refused or dropped as they pass by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import InputError
from engine.core.message import Message, joined
from engine.core.typing import Values
from engine.pipeline.resolved import ResolvedPlan


class Lacking:
    """Records with missing quasi-identifiers: refused or dropped.

    Parameters
    ----------
    plan : ResolvedPlan
        Whose policies are ``refuse`` or ``drop``.
    """

    def __init__(self, plan: ResolvedPlan) -> None:
        self._names = plan.quasi_identifiers
        self._refuses = [
            plan.missing_columns.get(name, plan.missing) == "refuse"
            for name in self._names
        ]
        self._counts = np.zeros(len(self._names), dtype=np.int64)
        self._first = np.full(len(self._names), -1, dtype=np.int64)
        self._dropped = 0

    def kept(self, values: Values, first: int) -> NDArray[np.bool_]:
        """Return which records stay, shape (n_records,).

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_attributes)
        first : int
            Number of the first record, from 0.

        Raises
        ------
        InputError
            If a value is missing where that is refused.
        """
        holes = np.isnan(values)
        kept = np.asarray(~holes.any(axis=1), dtype=np.bool_)
        if kept.all():
            return kept
        for j in np.flatnonzero(holes.any(axis=0)):
            row = first + int(np.argmax(holes[:, j]))
            if self._refuses[j]:
                raise InputError(
                    "Missing value in quasi-identifier {column!r}, first in "
                    "record {record:,}: drop such records (missing = drop), or fill "
                    "them in beforehand.",
                    column=self._names[j],
                    record=row + 1,
                )
            if self._first[j] < 0:
                self._first[j] = row
        self._counts += holes.sum(axis=0)
        self._dropped += int((~kept).sum())
        return kept

    def warnings(self) -> tuple[Message, ...]:
        """Return a sentence on what was dropped, if anything was."""
        if not self._dropped:
            return ()
        each = [
            Message(
                "{name!r} {count:,} (first in record {row})",
                name=name,
                count=number,
                row=first + 1,
            )
            for name, number, first in zip(
                self._names, self._counts, self._first, strict=True
            )
            if number
        ]
        dropped = Message(
            "{count:,} record with missing values dropped: {where}.",
            "{count:,} records with missing values dropped: {where}.",
            count=self._dropped,
            where=joined(each, "; "),
        )
        return (dropped,)
