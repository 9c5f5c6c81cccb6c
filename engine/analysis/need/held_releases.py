"""Releases that one recipient holds: one, or two of the same records."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pandas as pd

from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.core.context import SILENT, RunContext
from engine.core.typing import Integers
from engine.data.table import Table
from engine.measures import MeasuredRelease, Score, measures
from engine.measures.classes import ClassCache, record_classes
from engine.pipeline.evaluate import evaluate, make_measured_release
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome

MAX_DENOMINATOR = 10**12
"""Of scores as fractions: an exact comparison of 1 / 11 needs no more."""


class _ClassesOfBoth(ClassCache):
    """Classes of a release whose records share their values in a second one, too."""

    def __init__(
        self, frame: pd.DataFrame, columns: tuple[str, ...], classes: Integers
    ) -> None:
        super().__init__()
        self._known.append((frame, columns, classes))


@dataclass(frozen=True, eq=False)
class HeldReleases:
    """A release, and a second one of the same records beside it, if any.

    Attributes
    ----------
    outcome : Outcome
    table : Table
        What was protected.
    second : Outcome or None
        Its records are those of the first, in the same order.
    ctx : RunContext
        Of attacks on them.
    """

    outcome: Outcome
    table: Table
    second: Outcome | None = None
    ctx: RunContext = SILENT

    @property
    def _renamed(self) -> Mapping[str, str]:
        """New names of the second release's quasi-identifiers, beside the first's."""
        columns = self.outcome.release.columns
        names: dict[str, str] = {}
        for name in self.outcome.plan.quasi_identifiers:
            other = f"{name} (2)"
            while other in columns or other in names.values():
                other += "_"
            names[name] = other
        return names

    def frame(self) -> pd.DataFrame:
        """Return all that is held of each record: columns of both, side by side."""
        first = self.outcome.release.frame
        if self.second is None:
            return first
        names = self._renamed
        more = self.second.release.frame[list(names)].rename(columns=names)
        return pd.concat([first, more.set_axis(first.index)], axis=1)

    def measured_release(self) -> MeasuredRelease:
        """Return data for measures; records are equal only if equal in both releases.

        Groups, where they are counted by the values that are released, are those whose
        records are alike in both.
        """
        measured = make_measured_release(self.outcome, self.table, self._seed)
        if self.second is None:
            return measured
        frame, keys = self.frame(), measured.points.names
        classes = record_classes(frame, (*keys, *self._renamed.values()))
        return replace(measured, frame=frame, seen=_ClassesOfBoth(frame, keys, classes))

    @property
    def _seed(self) -> int:
        return self.outcome.plan.seed

    def score(self, name: str) -> Fraction:
        """Return a registered measure's value for the release, or for both together.

        An unknown risk is at most the upper end of its interval.
        """
        if self.second is None:
            cache = PreparationCache(self.table)
            estimate: Score = evaluate(
                self.outcome, self.table, [name], self._seed, preparations=cache
            )[name]
        else:
            estimate = measures.get(name)(self.measured_release())
        value = estimate.value
        if math.isnan(value) and estimate.interval is not None:
            value = estimate.interval[1]
        return Fraction(value).limit_denominator(MAX_DENOMINATOR)

    def smallest_group(self) -> int:
        """Return the fewest records, or people, that are alike in all that is held."""
        if self.second is None:
            return int(self.outcome.k_released)
        return int(self.score("k-anonymity"))

    def groups(self) -> Integers:
        """Return the group of each record, (n_records,): those of both at once."""
        labels = self.outcome.partition.labels
        if self.second is None:
            return labels
        both = np.array([labels, self.second.partition.labels])
        joint_labels = np.unique(both, axis=1, return_inverse=True)[1]
        return joint_labels.astype(np.int64)

    def attacked(self) -> tuple[Table, ReleaseWithOrigins, tuple[str, ...]]:
        """Return original, release and known columns of an attack on all that is held.

        With two releases the intruder has what is known of somebody beside the values
        of both: each known column comes twice.
        """
        release = ReleaseWithOrigins.from_outcome(self.outcome)
        known_columns = tuple(self.outcome.plan.quasi_identifiers)
        if self.second is None:
            return self.table, release, known_columns
        names = self._renamed
        copies = {new: self.table.frame[old] for old, new in names.items()}
        schema = self.table.schema
        more = (replace(schema[old], name=new) for old, new in names.items())
        table = replace(
            self.table,
            frame=self.table.frame.assign(**copies),
            schema=replace(schema, columns=(*schema.columns, *more)),
            carried=None,
        )
        both = replace(release, frame=self.frame(), groups=self.groups())
        return table, both, (*known_columns, *names.values())
