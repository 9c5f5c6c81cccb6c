"""Refuse records with missing quasi-identifiers, or mask and count them."""

from __future__ import annotations

import numpy as np

from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.typing import Booleans, Values
from engine.data.missing_values.missing import MissingTally
from engine.pipeline.planning.resolve_plan import ResolvedPlan


class MissingRecordFilter:
    """Filter for missing quasi-identifiers: raises, or counts and masks records.

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
        self._tally = MissingTally(self._names)
        self._dropped = 0

    def complete_mask(self, values: Values, first: int) -> Booleans:
        """Return a bool mask of the complete records, shape (n_records,).

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
        self._tally.add_records(holes, first)
        for name, row, refuses in zip(
            self._names, self._tally.first, self._refuses, strict=True
        ):
            if refuses and row >= 0:
                raise InputError(
                    "Missing value in quasi-identifier {column!r}, first in "
                    "record {record:,}: drop such records (missing = drop), or fill "
                    "them in beforehand.",
                    column=name,
                    record=row + 1,
                )
        complete: Booleans = np.asarray(~holes.any(axis=1))
        self._dropped += int(np.count_nonzero(~complete))
        return complete

    def join(self, later: MissingRecordFilter) -> None:
        """Count the records too that a filter of later records has seen."""
        self._tally.join(later._tally)
        self._dropped += later._dropped

    def warnings(self) -> tuple[Message, ...]:
        """Return a warning on the dropped records; empty if none were dropped."""
        if not self._dropped:
            return ()
        columns = np.flatnonzero(self._tally.counts).tolist()
        return (self._tally.dropped_message(self._dropped, columns),)
