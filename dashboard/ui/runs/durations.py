"""Expected and remaining durations of runs, and their wording."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dashboard.i18n.language import _, n_
from dashboard.jobs.job_view import JobView
from engine.core.message import Message
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_seconds_each, machine_slowdown

OVERHEAD, OVERHEAD_EACH = 0.8, 0.1
"""Seconds beside the methods: once, for starting; per plan, for measuring."""

COMPILE_SECONDS = 40.0
"""Seconds that it takes to compile what the recommended methods call, on the machine of
reference."""

MIN_MEASURED_SECONDS = 3.0
"""Seconds after which a run's share of the work says how long the rest takes."""


def expected_run_seconds(pending_plans: Sequence[Plan], table: Table) -> float:
    """Return the expected seconds of a run of plans on a table."""
    each = expected_seconds_each(pending_plans, table)
    return OVERHEAD + OVERHEAD_EACH * len(each) + sum(each)


def progress_text(job_view: JobView) -> str:
    """Return a job's progress or queue place, and its time left if known, as text."""
    if (queue_place := job_view.queue_place) is not None:
        words = n_(
            "Waiting: {count} run before yours, {time}",
            "Waiting: {count} runs before yours, {time}",
            queue_place.n_before,
        )
        time = duration_text(queue_place.seconds)
        return words.format(count=f"{queue_place.n_before:,}", time=time)
    if job_view.preparing:
        max_seconds = COMPILE_SECONDS * machine_slowdown() - job_view.prepared
        if max_seconds < 1.0:
            return _("Preparing the methods, once after installing: longer than usual")
        return _("Preparing the methods, once after installing: {time} at most").format(
            time=duration_text(max_seconds)
        )
    words = f"{_(_stage_message(job_view.stage))} ({job_view.share:.0%})"
    rest = seconds_left(job_view)
    if rest is None:
        return words
    return _("{progress}, {time} left").format(progress=words, time=duration_text(rest))


def seconds_left(job_view: JobView) -> float | None:
    """Return the expected remaining seconds of a job; None if too early to say."""
    todo = [
        plan for at, plan in enumerate(job_view.plans) if at not in job_view.results
    ]
    runs = job_view.asked is None  # and does not only measure what is there
    if runs and any(methods.info(plan.method).traits.time_budget for plan in todo):
        # A search goes by the clock, whatever share of the work it is said to be.
        spent = 0.0 if job_view.search is None else job_view.search.seconds
        return max(0.0, expected_run_seconds(todo, job_view.table) - spent)
    worked = job_view.seconds - job_view.prepared
    if worked < MIN_MEASURED_SECONDS or job_view.share < 0.02:
        return None
    whole = worked / job_view.share
    if runs and job_view.todo:
        whole = _blend_estimates(
            expected_run_seconds(job_view.todo, job_view.table), whole, job_view.share
        )
    return max(0.0, whole * (1.0 - job_view.share))


def _blend_estimates(before: float, now: float, share: float) -> float:
    """Return how long a whole run should take, between two ways to tell.

    What was reckoned before counts most at first, as parts of a run may go slower than
    others; what the run has taken so far counts ever more, and alone where the two
    differ by a factor of four.

    Parameters
    ----------
    before, now : float
        Seconds.
    share : float
        Done, from 0 to 1.
    """
    doubt = min(1.0, abs(math.log2(now / before)) / 2.0)
    trust = math.sqrt(1.0 - share) * (1.0 - doubt**2)
    return trust * before + (1.0 - trust) * now


def _stage_message(stage: Message) -> Message:
    """Return what is being done, without the method's name said twice."""
    owner, inner = stage.values.get("owner"), stage.values.get("stage")
    if isinstance(owner, Message) and owner.values.get("method") == inner:
        return owner
    return stage


def duration_text(seconds: float) -> str:
    """Return a duration as text, from "under a second" to a rounded number of days."""
    if seconds < 1.0:
        return _("under a second")
    if seconds < 100:
        count = max(1, round(seconds))
        words = n_("about {count} second", "about {count} seconds", count)
    elif seconds < 100 * 60:
        count = round(seconds / 60)
        words = n_("about {count} minute", "about {count} minutes", count)
    elif seconds < 48 * 3600:
        count = round(seconds / 3600)
        words = n_("about {count} hour", "about {count} hours", count)
    else:
        count = round(seconds / 86400)
        words = n_("about {count} day", "about {count} days", count)
    return words.format(count=f"{count:,}")
