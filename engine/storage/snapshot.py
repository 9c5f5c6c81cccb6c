"""Outcomes without values: figures and groups, from which the release is made again.

Several releases of one table tell more together than each alone: with many groupings,
common values can be solved for the records behind them. So what leaves the machine to
be gone on with holds groups, figures and choices only; whoever has the table gets the
very same release again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.core.context import SILENT
from engine.core.errors import EngineError
from engine.core.typing import Integers
from engine.data.persons import fewest_persons
from engine.data.table import fingerprint
from engine.measures.classes import record_classes, smallest_class
from engine.methods import methods
from engine.pipeline.aggregate import Grouped, replace
from engine.pipeline.compare import Comparison
from engine.pipeline.cost import expected_seconds
from engine.pipeline.group import group
from engine.pipeline.outcome import Outcome
from engine.pipeline.resolved import ResolvedPlan
from engine.storage.figures import Figures

QUICK_SECONDS = 2.0
"""Groups that do not say all of a release are made again, if it takes no longer."""


@dataclass(frozen=True, eq=False)
class OutcomeSnapshot:
    """An outcome without values.

    Attributes
    ----------
    figures : Figures
    labels, rows : ndarray of int64, shape (n_released,)
        Group of each released record, and its row in the table.
    seeds : ndarray of int64 or None
        As in :class:`engine.core.partition.Partition`.
    digest : str
        Of the release, to know it again.
    """

    figures: Figures
    labels: Integers
    rows: Integers
    seeds: Integers | None
    digest: str

    @property
    def plan(self) -> ResolvedPlan:
        """The plan that was carried out."""
        return self.figures.plan

    @property
    def fingerprint(self) -> str:
        """Digest of the table that was protected."""
        return self.figures.fingerprint


def snapshot(outcome: Outcome) -> OutcomeSnapshot:
    """Return an outcome without values."""
    return OutcomeSnapshot(
        figures=Figures.of(outcome),
        labels=outcome.partition.labels,
        rows=outcome.release.rows,
        seeds=outcome.partition.seeds,
        digest=fingerprint(outcome.release.frame),
    )


def restore(one: OutcomeSnapshot, comparison: Comparison) -> Outcome | None:
    """Return the whole outcome, with the table's own values; None if it cannot be.

    That is so where its groups do not say all of its release and took long, where
    another version of a library gives another release, and where the figures are not
    those of the release.

    Parameters
    ----------
    one : OutcomeSnapshot
    comparison : Comparison
        On the table that was protected.
    """
    try:
        partition = one.figures.partition(one.labels, one.seeds)
        prepared = comparison.preparations.of(one.plan)
        grouped = Grouped(partition)
        if not _groups_say_all(one.plan):
            if not _is_quick(one.plan, comparison):
                return None
            grouped = group(one.plan, prepared, SILENT).grouped
        if not np.array_equal(prepared.points.rows, one.rows):
            return None
        release = replace(one.plan, comparison.table, prepared, grouped).release
    except (EngineError, IndexError, ValueError):
        return None
    if fingerprint(release.frame) != one.digest:
        return None
    found = one.figures.outcome(partition, release, prepared.persons)
    return found if _true(found) else None


def _groups_say_all(plan: ResolvedPlan) -> bool:
    """Return whether labels of whole records are all that a release depends on."""
    traits = methods.info(plan.method).traits
    whole = bool(plan.person_columns) and plan.intruder_knows == "all"
    return not (traits.probabilistic or traits.per_attribute or plan.blocks or whole)


def _is_quick(plan: ResolvedPlan, comparison: Comparison) -> bool:
    traits = methods.info(plan.method).traits
    seconds = expected_seconds(plan, comparison.table)
    return not traits.time_budget and seconds <= QUICK_SECONDS


def _true(outcome: Outcome) -> bool:
    """Return whether the k that an outcome claims is that of its release."""
    quasi = outcome.plan.quasi_identifiers
    least = smallest_class(outcome.release.frame, quasi)
    if outcome.persons is not None:
        classes = record_classes(outcome.release.frame, quasi)
        knows = outcome.plan.intruder_knows
        least = fewest_persons(classes, outcome.persons, knows)
    columns: pd.Index = outcome.release.frame.columns
    return outcome.k_released == least and set(quasi) <= set(columns)
