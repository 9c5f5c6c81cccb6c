"""Started and finished runs of a tab, with their choices, figures and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import pandas as pd

from dashboard.i18n.language import _, n_
from dashboard.results.digits import format_short
from dashboard.results.figures import plan_title, result_figures
from dashboard.state.caches.memo import Key
from dashboard.state.snapshots.snapshot import Snapshot, total_snapshot_nbytes
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

MAX_LISTED_RUNS = 30
"""Number of runs that are listed."""

MAX_RUN_TABLE_BYTES = 2**29
"""Bytes of earlier tables' records that runs keep."""


@dataclass(frozen=True, eq=False)
class StartedRun:
    """A started run: its job, its choices, and whether it was started automatically.

    Attributes
    ----------
    job : str
    snapshot : Snapshot
        The choices that it was started with.
    by_itself : bool
        Whether nobody has asked for it: then it gives way when the choices change.
    """

    job: str
    snapshot: Snapshot
    by_itself: bool = False


@dataclass(frozen=True)
class ResultSummary:
    """Loss, whether k is kept, number of groups and seconds of a finished run's result.

    Attributes
    ----------
    lost : float
        In per cent.
    of_numbers : bool
        Whether it is IL; NCP in projects from when categories had none.
    keeps_k : bool
        Whether the release has the k asked for.
    n_groups : int
    seconds : float
        Time of the method alone.
    """

    lost: float
    of_numbers: bool
    keeps_k: bool
    n_groups: int
    seconds: float

    @property
    def loss_text(self) -> str:
        """Loss as text, with its name and unit."""
        return f"{'IL' if self.of_numbers else 'NCP'} {format_short(self.lost)} %"


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A finished run: number, name, choices, plans, figures and time.

    Attributes
    ----------
    number : int
        Counted from 1 in the order of their ends.
    snapshot : Snapshot
        The choices that it was started with, and the table.
    plans : tuple of Plan
        Every column spelled out.
    keys : tuple of (fingerprint, digest)
        Where the results are in the workspace's memo, while they are.
    figures : mapping of Key to ResultSummary
        Of the results that are outcomes.
    ended : datetime
        With its time zone.
    whole : bool
        Whether it came to its end; otherwise some results are lacking.
    name : str
        What somebody has called it; empty for :func:`run_title`'s own.
    """

    number: int
    snapshot: Snapshot
    plans: tuple[Plan, ...]
    keys: tuple[Key, ...]
    figures: Mapping[Key, ResultSummary]
    ended: datetime
    whole: bool = True
    name: str = ""

    @property
    def results_with_figures(self) -> list[tuple[Plan, ResultSummary]]:
        """Plans of the run that gave a result, each with the result's summary."""
        return [
            (plan, self.figures[key])
            for plan, key in zip(self.plans, self.keys, strict=True)
            if key in self.figures
        ]


def run_title(run: FinishedRun) -> str:
    """Return a run's name, or by default ``Run 1 · Census, 6 methods × 3 k``."""
    return run.name or _("Run {number} · {what}").format(
        number=run.number, what=describe_run(run)
    )


def describe_run(run: FinishedRun) -> str:
    """Return a finished run's table, method and k, or how many of these, in words."""
    table = _(run.snapshot.source.title) if run.snapshot.source is not None else ""
    names = dict.fromkeys((plan.method, plan.polish) for plan in run.plans)
    sizes = dict.fromkeys(plan.k for plan in run.plans)
    if len(names) == 1:
        words = plan_title(run.plans[0])
    else:
        words = n_("{count} method", "{count} methods", len(names))
        words = words.format(count=len(names))
    if len(sizes) == 1:
        words += f", k = {run.plans[0].k}"
    else:
        words += f" × {len(sizes)} k"
    return ", ".join(filter(None, (table, words)))


def best_plan_and_summary_of_run(run: FinishedRun) -> tuple[Plan, ResultSummary] | None:
    """Return plan and summary of least loss, keeping k if possible, or None."""
    rows = run.results_with_figures
    return min(rows, key=lambda row: (not row[1].keeps_k, row[1].lost), default=None)


def summarise_outcome(outcome: Outcome) -> ResultSummary:
    """Return an outcome's summary: loss, whether k is kept, groups and seconds."""
    row = result_figures(outcome)
    return ResultSummary(row.loss, True, row.keeps_k, row.n_groups, row.seconds)


def trim_runs(
    runs: tuple[FinishedRun, ...], open_frame: pd.DataFrame | None
) -> tuple[FinishedRun, ...]:
    """Return the latest runs; above a memory limit, the oldest without records."""
    new_runs = list(runs[-MAX_LISTED_RUNS:])
    for at, run in enumerate(new_runs):
        if (
            total_snapshot_nbytes((entry.snapshot for entry in new_runs), open_frame)
            <= MAX_RUN_TABLE_BYTES
        ):
            break
        new_runs[at] = replace(run, snapshot=run.snapshot.without_records())
    return tuple(new_runs)
