"""Snapshots of outcomes: figures and groups, to rebuild the release from the table.

Several releases of one table tell more together than each alone: with many groupings,
common values can be solved for the records behind them. So what leaves the machine to
be gone on with holds groups, figures and choices only; whoever has the table gets the
very same release again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.context import SILENT
from engine.core.errors import EngineError
from engine.core.typing import Integers
from engine.data.table import frame_fingerprint
from engine.measures.classes import smallest_class_size
from engine.methods import methods
from engine.pipeline.compare import PlanRunner
from engine.pipeline.grouping.group import group_records
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.cost import expected_seconds
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.pipeline.protection.aggregate import GroupingResult, build_release
from engine.pipeline.protection.grouped_release import group_release
from engine.storage.figures import OutcomeFigures

MAX_REGROUPING_SECONDS = 2.0
"""Groups that do not say all of a release are made again, if it takes no longer."""


@dataclass(frozen=True, eq=False)
class OutcomeSnapshot:
    """Figures, groups and rows of an outcome, without data values.

    Attributes
    ----------
    figures : OutcomeFigures
    labels, rows : ndarray of int64, shape (n_released,)
        Group of each released record, and its row in the table.
    seeds : ndarray of int64 or None
        As in :class:`engine.core.partition.Partition`.
    digest : str
        Of the release, to know it again.
    """

    figures: OutcomeFigures
    labels: Integers
    rows: Integers
    seeds: Integers | None
    digest: str

    @property
    def plan(self) -> ResolvedPlan:
        """Resolved plan of the outcome."""
        return self.figures.plan

    @property
    def fingerprint(self) -> str:
        """Digest of the table that was protected."""
        return self.figures.fingerprint


def take_outcome_snapshot(outcome: Outcome) -> OutcomeSnapshot:
    """Return the snapshot of an outcome: figures and groups, no data values."""
    return OutcomeSnapshot(
        figures=OutcomeFigures.from_outcome(outcome),
        labels=outcome.partition.labels,
        rows=outcome.release.rows,
        seeds=outcome.partition.seeds,
        digest=frame_fingerprint(outcome.release.frame),
    )


def rebuild_outcome_from_table(
    snapshot: OutcomeSnapshot, plan_runner: PlanRunner
) -> Outcome | None:
    """Return the outcome rebuilt from a snapshot and the table; None if not the same.

    None where its groups do not say all of its release and took long, where another
    version of a library gives another release, or where the figures are not those of
    the release.

    Parameters
    ----------
    snapshot : OutcomeSnapshot
    plan_runner : PlanRunner
        On the table that was protected.
    """
    try:
        partition = snapshot.figures.to_partition(snapshot.labels, snapshot.seeds)
        prepared = plan_runner.preparations.get(snapshot.plan)
        grouped = GroupingResult(partition)
        if not _groups_say_all(snapshot.plan):
            if not _is_quick(snapshot.plan, plan_runner):
                return None
            grouped = group_records(snapshot.plan, prepared, SILENT).grouped
        if not np.array_equal(prepared.points.rows, snapshot.rows):
            return None
        release = build_release(
            snapshot.plan, plan_runner.table, prepared, grouped
        ).release
    except (EngineError, IndexError, ValueError):
        return None
    if frame_fingerprint(release.frame) != snapshot.digest:
        return None
    grouped_release = group_release(release, partition.labels, plan_runner.table.frame)
    outcome = snapshot.figures.to_outcome(partition, grouped_release, prepared.persons)
    return outcome if _is_k_true(outcome) else None


def _groups_say_all(plan: ResolvedPlan) -> bool:
    """Return whether labels of whole records are all that a release depends on."""
    traits = methods.info(plan.method).traits
    whole = bool(plan.person_columns) and plan.intruder_knows == "all"
    return not (traits.probabilistic or traits.per_attribute or plan.blocks or whole)


def _is_quick(plan: ResolvedPlan, plan_runner: PlanRunner) -> bool:
    traits = methods.info(plan.method).traits
    seconds = expected_seconds(plan, plan_runner.table)
    return not traits.time_budget and seconds <= MAX_REGROUPING_SECONDS


def _is_k_true(outcome: Outcome) -> bool:
    """Return whether the k that an outcome claims is that of its release."""
    quasi, knows = outcome.plan.quasi_identifiers, outcome.plan.person_knowledge
    counted_k = smallest_class_size(
        outcome.release.frame, quasi, outcome.persons, knows
    )
    return outcome.k_released == counted_k and set(quasi) <= {*outcome.release.columns}
