"""Runs that are over: their choices, figures and names, to go back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import pandas as pd

from dashboard.i18n.language import _, n_
from dashboard.results.digits import shown
from dashboard.results.facts import facts, plan_title
from dashboard.state.memo import Key
from dashboard.state.snapshot import Snapshot, weight
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

MOST = 30
"""Runs that are listed."""

MAX_BYTES = 2**29
"""Records of earlier tables that runs keep."""


@dataclass(frozen=True, eq=False)
class Begun:
    """A run that has been started.

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
class Figure:
    """What is said of a result in a line.

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
    def words(self) -> str:
        """The loss for people, named and with its unit."""
        return f"{'IL' if self.of_numbers else 'NCP'} {shown(self.lost)} %"


@dataclass(frozen=True, eq=False)
class Run:
    """A run that is over.

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
    figures : mapping of Key to Figure
        Of the results that are outcomes.
    ended : datetime
        With its time zone.
    whole : bool
        Whether it came to its end; otherwise some results are lacking.
    name : str
        What somebody has called it; empty for :func:`title`'s own.
    """

    number: int
    snapshot: Snapshot
    plans: tuple[Plan, ...]
    keys: tuple[Key, ...]
    figures: Mapping[Key, Figure]
    ended: datetime
    whole: bool = True
    name: str = ""

    @property
    def results(self) -> list[tuple[Plan, Figure]]:
        """The plans that have a figure, each with it."""
        return [
            (plan, self.figures[key])
            for plan, key in zip(self.plans, self.keys, strict=True)
            if key in self.figures
        ]


def title(run: Run) -> str:
    """Return a run's name, or what it was: ``Run 1 · Census, 6 methods × 3 k``."""
    return run.name or _("Run {number} · {what}").format(
        number=run.number, what=describe_run(run)
    )


def describe_run(run: Run) -> str:
    """Return what ran, on which table."""
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


def best_result(run: Run) -> tuple[Plan, Figure] | None:
    """Return the result that loses least, of those that have their k if any has."""
    found = run.results
    return min(found, key=lambda one: (not one[1].keeps_k, one[1].lost), default=None)


def figure(outcome: Outcome) -> Figure:
    """Return what is said of a result in a line."""
    row = facts(outcome)
    return Figure(row.loss, True, row.keeps_k, row.n_groups, row.seconds)


def bounded(runs: tuple[Run, ...], current: pd.DataFrame | None) -> tuple[Run, ...]:
    """Return the latest runs; the oldest without records, above the limit."""
    kept = list(runs[-MOST:])
    for at, run in enumerate(kept):
        if weight((one.snapshot for one in kept), current) <= MAX_BYTES:
            break
        kept[at] = replace(run, snapshot=run.snapshot.lightened())
    return tuple(kept)
