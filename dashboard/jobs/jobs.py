"""Public functions of jobs: start, view, stop and cancel runs.

Pages ask how far a run is, as often as they like::

    job = jobs.start_run(table, plans, known_results=known)  # returns at once
    view = jobs.view_job(job)                 # state, share, stage, results
    jobs.request_early_stop(job)              # a search ends with its best
    jobs.cancel_job(job)                      # results so far stay
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.jobs.assessment import AssessmentRequest
from dashboard.jobs.job_view import JobView
from dashboard.jobs.needs import NeedRequest
from dashboard.jobs.registry import JobRegistry, SchedulerWorkerAndQuota
from dashboard.jobs.workers.resource_limits import resource_limits
from engine.analysis.curves.experiment import Experiment
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

_sharing: SchedulerWorkerAndQuota | None = None


def set_shared_job_services(services: SchedulerWorkerAndQuota) -> None:
    """Set the scheduler, workers and quotas that this process shares with others."""
    global _sharing
    _sharing = services


@st.cache_resource(show_spinner=False)
def job_registry() -> JobRegistry:
    """Return the registry of jobs of this process; the first call makes it."""
    share = resource_limits()
    reuses_worker = not share.many
    return JobRegistry(
        share.runs, share.run_bytes, reuses_worker=reuses_worker, sharing=_sharing
    )


def has_unfinished_runs() -> bool:
    """Return whether any run of this process is being carried out or waits."""
    return job_registry().has_unfinished_runs()


def start_run(
    table: Table,
    plans: Sequence[Plan],
    known_results: Mapping[Plan, Result] | None = None,
) -> str:
    """Queue a run of plans for a worker; return its job identifier without waiting.

    A tab has one run: an earlier one of the same tab is stopped and forgotten.

    Parameters
    ----------
    plans : sequence of Plan
    known_results : mapping of Plan to Outcome or Failure, optional
        Results there are already; these plans are not carried out again.
    """
    return job_registry().start(table, plans, known_results)


def start_assessment(
    table: Table, outcomes: Sequence[Outcome], assessment: AssessmentRequest
) -> str:
    """Queue an assessment of finished runs; return its job identifier without waiting.

    The results are the same outcomes with more scores. An earlier run of the same tab
    is stopped and forgotten.

    Parameters
    ----------
    table : Table
        The table that was protected.
    outcomes : sequence of Outcome
    assessment : AssessmentRequest
    """
    results: dict[Plan, Result] = {outcome.plan: outcome for outcome in outcomes}
    return job_registry().start(table, tuple(results), results, assessment)


def start_timing(table: Table, plans: Sequence[Plan], experiment: Experiment) -> str:
    """Queue the timing of methods on a table; return its job identifier at once.

    An earlier run of the same tab is stopped and forgotten.

    Parameters
    ----------
    plans : sequence of Plan
        One for each method.
    experiment : Experiment
    """
    return job_registry().start(table, plans, None, experiment)


def start_need_search(table: Table, base: Plan, request: NeedRequest) -> str:
    """Queue the search for a release that meets a need; return its job identifier.

    An earlier run of the same tab is stopped and forgotten.

    Parameters
    ----------
    base : Plan
        Choices that stay.
    request : NeedRequest
    """
    return job_registry().start(table, (base,), None, request)


def view_job(job_id: str | None) -> JobView | None:
    """Return a job's state, progress and results; None if there is no such job.

    Cheap enough for twice a second. A run that ended stays as long as its tab is
    open, so that a reload finds it.
    """
    return None if job_id is None else job_registry().view_job(job_id)


def cancel_job(job_id: str | None) -> None:
    """Stop a job, keeping results that have arrived; ignore None and unknown jobs."""
    if job_id is not None:
        job_registry().cancel_job(job_id)


def request_early_stop(job_id: str | None) -> None:
    """Ask a job's running search, if any, to end with its best groups; do not wait."""
    if job_id is not None:
        job_registry().request_early_stop(job_id)


def prestart_worker() -> None:
    """Make the job registry, which keeps a worker ready unless services are shared."""
    job_registry()
