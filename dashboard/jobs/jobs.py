"""Jobs: runs queued, started in worker processes, followed, cancelled.

Pages ask how far a run is, as often as they like::

    job = jobs.start(table, plans, known=results)    # returns at once
    view = jobs.view(job)                            # state, share, stage, results
    jobs.enough(job)                                 # a search ends with its best
    jobs.cancel(job)                                 # results so far stay
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dashboard.jobs.assessment import Assessment
from dashboard.jobs.job_view import JobView
from dashboard.jobs.registry import Registry
from dashboard.jobs.shares import shares
from dashboard.jobs.sharing import Sharing
from engine.analysis.experiment import Experiment
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

__all__ = [
    "JobView",
    "cancel",
    "enough",
    "measure",
    "registry",
    "share",
    "start",
    "time_methods",
    "view",
    "warm",
    "work_ahead",
]


_sharing: Sharing | None = None


def share(sharing: Sharing) -> None:
    """Have others decide about turns, workers and quotas, before the first run."""
    global _sharing
    _sharing = sharing


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """Return the server's registry; the first call starts a spare worker."""
    share = shares()
    if _sharing is not None:
        return Registry(memory=share.run_bytes, sharing=_sharing)
    if not share.many:
        return Registry(share.runs, share.run_bytes, again=True)
    return Registry(
        share.runs,
        share.run_bytes,
        waiting=share.person_waiting,
        minutes=share.person_minutes,
    )


def start(
    table: Table,
    plans: Sequence[Plan],
    known: Mapping[Plan, Result] | None = None,
) -> str:
    """Start a run and return its identifier at once.

    A tab has one run: an earlier one of the same tab is stopped and forgotten.

    Parameters
    ----------
    table : Table
    plans : sequence of Plan
    known : mapping of Plan to Outcome or Failure, optional
        Results there are already; these plans are not carried out again.
    """
    return registry().start(table, plans, known)


def measure(table: Table, outcomes: Sequence[Outcome], asked: Assessment) -> str:
    """Start working out what is asked of finished runs; return its identifier at once.

    The results are the same outcomes with more scores. An earlier run of the same tab
    is stopped and forgotten.

    Parameters
    ----------
    table : Table
        The table that was protected.
    outcomes : sequence of Outcome
    asked : Assessment
    """
    known: dict[Plan, Result] = {outcome.plan: outcome for outcome in outcomes}
    return registry().start(table, tuple(known), known, asked)


def work_ahead(table: Table, choose: Callable[[], Sequence[Plan]]) -> str:
    """Carry out plans that are likely to be asked for, while nobody asks for anything.

    It gives way to every run, of this tab and of others, counts for nobody, and takes
    the processor only where nothing else wants it.

    Parameters
    ----------
    table : Table
    choose : callable
        Returns the plans, the likeliest first; called in a thread of its own.

    Returns
    -------
    str
        The identifier; there is no view of it where there was nothing to do.
    """
    return registry().work_ahead(table, choose)


def time_methods(table: Table, plans: Sequence[Plan], experiment: Experiment) -> str:
    """Start timing methods; return its identifier at once.

    An earlier run of the same tab is stopped and forgotten.

    Parameters
    ----------
    table : Table
    plans : sequence of Plan
        One for each method.
    experiment : Experiment
    """
    return registry().start(table, plans, None, experiment)


def view(job_id: str | None) -> JobView | None:
    """Return how far a run is and what it has found; None if there is no such run.

    Cheap enough for twice a second. A run that ended stays as long as its tab is
    open, so that a reload finds it.
    """
    return None if job_id is None else registry().view(job_id)


def cancel(job_id: str | None) -> None:
    """Stop a run within a second; results that have arrived stay in its view."""
    if job_id is not None:
        registry().cancel(job_id)


def enough(job_id: str | None) -> None:
    """End the search that is going on; the best so far becomes its result."""
    if job_id is not None:
        registry().enough(job_id)


def warm() -> None:
    """Have a worker ready before the first click."""
    registry()
