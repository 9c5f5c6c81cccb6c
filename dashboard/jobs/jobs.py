"""Jobs: runs queued, started in worker processes, followed, cancelled.

A click must never abandon a run, and a run must never end the server. So each run
is a worker process (:mod:`dashboard.jobs.worker`) with a private folder; pages ask how
far it is, as often as they like::

    job = jobs.start(table, plans, known=results)    # returns at once
    view = jobs.view(job)                            # state, share, stage, results
    jobs.enough(job)                                 # a search ends with its best
    jobs.cancel(job)                                 # results so far stay
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dashboard.jobs.assessment import Assessment
from dashboard.jobs.holdings import bytes_of_results, holdings
from dashboard.jobs.job import Job, JobView, new_folder, remove_stale
from dashboard.jobs.process import Worker, physical_bytes, too_big, why_ended
from dashboard.jobs.quota import Quota
from dashboard.jobs.shares import shares
from dashboard.server import browsers, sign_in, tabs
from engine.analysis.timing import Experiment
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

__all__ = [
    "JobView",
    "Registry",
    "cancel",
    "enough",
    "measure",
    "registry",
    "start",
    "time_methods",
    "view",
    "warm",
    "work_ahead",
]


PATIENCE = 2.0
"""Turns for which somebody waits while others have several runs at work."""

AHEAD_SECONDS = 60.0
"""After which work that nobody has asked for is ended, begun or not."""


class Registry:
    """All runs of one server.

    Parameters
    ----------
    parallel : int, optional
        Runs at the same time; the others wait. Default: one fewer than there are
        processor cores, at least 2.
    memory : int, optional
        Bytes that one run may occupy before it is stopped. Default: four fifths of
        the machine's memory.
    grace : float
        Seconds after which a run that no open tab belongs to, and that nobody asks
        about, is stopped and forgotten.
    spare : bool
        Keep one worker process warmed up.
    waiting : int, optional
        Runs of one person that are carried out or wait. Default: any number.
    minutes : float, optional
        Minutes of processor that one person's runs may take in an hour. Default: any.
    turn : float
        Seconds after which a run stands back, between two plans, for those of people
        who have fewer.
    """

    def __init__(
        self,
        parallel: int | None = None,
        memory: int | None = None,
        grace: float = 60.0,
        spare: bool = True,
        waiting: int | None = None,
        minutes: float | None = None,
        turn: float = 20.0,
    ) -> None:
        self._parallel = parallel or max(2, (os.cpu_count() or 1) - 1)
        self._memory = memory or physical_bytes() * 4 // 5
        self._grace = grace
        self._wants_spare = spare
        self._quota = Quota(waiting, minutes)
        self._turn = turn
        self._spare: Worker | None = None
        self._failures, self._spare_due = 0, 0.0
        self._jobs: dict[str, Job] = {}
        self._change = threading.Condition(threading.RLock())
        self._closed = False
        remove_stale()
        atexit.register(self.close)
        threading.Thread(target=self._watch, name="jobs", daemon=True).start()

    def start(
        self,
        table: Table,
        plans: Sequence[Plan],
        known: Mapping[Plan, Result] | None = None,
        asked: Assessment | Experiment | None = None,
    ) -> str:
        """Start a run; see :func:`start`, :func:`measure` and :func:`time_methods`."""
        job_id = tabs.new_token()
        session = tabs.current()
        results = {
            position: known[plan]
            for position, plan in enumerate(plans)
            if known and plan in known
        }
        outcomes = asked.left_open(results) if isinstance(asked, Assessment) else {}
        job = Job(
            table=table,
            plans=tuple(plans),
            results={p: one for p, one in results.items() if p not in outcomes},
            folder=new_folder(),
            sessions={session} - {""},
            asked=asked,
            outcomes=outcomes,
            person=sign_in.user_id() or browsers.visit().browser or session,
        )
        if len(job.results) == len(plans):
            job.end("done")
        with self._change:
            replaced = [
                self._jobs.pop(old_id)
                for old_id, old in list(self._jobs.items())
                if session in old.sessions and not _others(old, session)
            ]
            why = self._quota.why_not(job.person, self._jobs.values())
            if not why and asked is None:
                todo = [one for at, one in enumerate(plans) if at not in job.results]
                size = bytes_of_results(table, todo)
                why = holdings().why_not(size, job.person)
            if why and job.state == "running":
                job.end("failed", why)
            self._jobs[job_id] = job
            self._change.notify()
        for old in replaced:
            self._forget(old)
        return job_id

    def _forget(self, job: Job) -> None:
        job.end("cancelled")
        if not job.ahead:
            self._quota.note(job.person, job.spent)

    def work_ahead(self, table: Table, choose: Callable[[], Sequence[Plan]]) -> str:
        """Work on what is likely to be asked for; see :func:`work_ahead`."""
        job_id, session = tabs.new_token(), tabs.current()
        person = sign_in.user_id() or browsers.visit().browser or session
        job = Job(
            table=table,
            plans=(),
            results={},
            folder=new_folder(),
            sessions={session} - {""},
            person=person,
            ahead=True,
        )

        def begin() -> None:
            # To choose takes a moment that no page should wait for.
            job.plans = tuple(choose())
            with self._change:
                mine = [
                    (old_id, old)
                    for old_id, old in self._jobs.items()
                    if session in old.sessions
                ]
                wanted = any(one.state == "running" for _, one in mine if not one.ahead)
                if not job.plans or wanted or self._closed:
                    return
                before = [old_id for old_id, old in mine if old.ahead]
                gone = [self._jobs.pop(old_id) for old_id in before]
                self._jobs[job_id] = job
                self._change.notify()
            for old in gone:
                old.end("cancelled")

        threading.Thread(target=begin, daemon=True).start()
        return job_id

    def view(self, job_id: str) -> JobView | None:
        """Return how far a run is; see :func:`view`."""
        job = self._jobs.get(job_id)
        if job is None:
            return None
        job.seen = time.monotonic()
        job.sessions |= {tabs.current()} - {""}
        job.refresh()
        return job.view()

    def cancel(self, job_id: str) -> None:
        """Stop a run; see :func:`cancel`."""
        job = self._jobs.get(job_id)
        if job is not None:
            job.refresh()
            job.end("cancelled")

    def enough(self, job_id: str) -> None:
        """End a search with the best so far; see :func:`enough`."""
        job = self._jobs.get(job_id)
        if job is not None:
            job.refresh()
            job.enough()

    def close(self) -> None:
        """Stop every run and remove every file."""
        with self._change:
            self._closed = True
            jobs, spare = list(self._jobs.values()), self._spare
            self._jobs.clear()
            self._spare = None
            self._change.notify()
        for job in jobs:
            job.end("cancelled")
        if spare is not None:
            spare.end()
        atexit.unregister(self.close)

    def _watch(self) -> None:
        while True:
            with self._change:
                busy = any(job.state == "running" for job in self._jobs.values())
                self._change.wait(0.2 if busy else 2.0)
                if self._closed:
                    return
                jobs = dict(self._jobs)
            try:
                for job_id, job in jobs.items():
                    self._care(job_id, job)
                self._launch_next(list(jobs.values()))
                self._keep_spare()
            except Exception:  # one run's mishap must not leave the others alone
                traceback.print_exc()

    def _care(self, job_id: str, job: Job) -> None:
        """Read a run's progress, hold it to its limits, forget it when it is alone."""
        job.refresh()
        worker = job.worker
        if job.state == "running" and worker is not None:
            used = worker.resident_bytes()
            if used > self._memory:
                job.end("failed", too_big(used, self._memory))
        now = time.monotonic()
        if any(map(tabs.is_open, tuple(job.sessions))):
            job.seen = now
        elif now - job.seen > self._grace:
            self._forget(job)
            with self._change:
                self._jobs.pop(job_id, None)
        if job.ahead and now - (job.since or job.started) > AHEAD_SECONDS:
            job.end("cancelled")

    def _launch_next(self, jobs: list[Job]) -> None:
        """Begin what there is room for: first of those who have least at work."""
        self._make_room([job for job in jobs if job.state == "running"])
        jobs = [job for job in jobs if not job.ahead]
        running = [job for job in jobs if job.busy]
        waiting = [job for job in jobs if job.state == "running" and not job.launched]
        have = Counter(job.person for job in running)
        waiting.sort(key=lambda job: (have[job.person], job.since or job.started))
        for job in waiting[: max(0, self._parallel - len(running))]:
            job.launched, job.stage = True, Message("Starting")
            job.since = time.monotonic()
            threading.Thread(target=self._launch, args=(job,), daemon=True).start()
        if len(waiting) > max(0, self._parallel - len(running)):
            # Whoever had a turn stands back between two plans for those who had none.
            now = time.monotonic()
            for job in running:
                if now - job.since > self._turn:
                    job.pause()
            left = [job for job in waiting if not job.launched]
            self._share_out(running, left, have)

    def _share_out(
        self, running: list[Job], waiting: list[Job], have: Counter[str]
    ) -> None:
        """Take a place from whoever has several, for somebody who waits for the first.

        Not every plan comes to its end soon. The run that is put off has its results,
        and begins the plan that it was at once more.
        """
        now = time.monotonic()
        first = next((job for job in waiting if not have[job.person]), None)
        if first is None or now - first.asked_since < PATIENCE * self._turn:
            return
        several = [
            job
            for job in running
            if have[job.person] > 1
            and now - job.since > PATIENCE * self._turn
            and job.worker is not None
        ]
        if several:
            max(several, key=lambda job: job.since).give_way()

    def _make_room(self, jobs: list[Job]) -> None:
        """End what works ahead where others need its place, or begin more of it.

        It takes idle places only, and leaves one free: whoever asks for something does
        not wait for it. While anybody waits there is none.
        """
        asked = [job for job in jobs if not job.ahead]
        ahead = [job for job in jobs if job.ahead]
        crowded = any(not job.launched for job in asked)
        room = 0 if crowded else max(0, self._parallel - 1 - len(asked))
        busy = [job for job in ahead if job.launched]
        for job in busy[room:]:
            job.end("cancelled")
        waiting = [job for job in ahead if not job.launched]
        for job in waiting[: max(0, room - len(busy))]:
            job.launched, job.since = True, time.monotonic()
            threading.Thread(target=self._launch, args=(job,), daemon=True).start()

    def _launch(self, job: Job) -> None:
        """Write a run's folder and give it to a worker."""
        try:
            job.write()
        except EngineError as error:
            job.end("failed", error.message)
            return
        except OSError as error:
            no_room = Message(
                "The run could not start, because the folder {folder} cannot be "
                "written to ({reason}): make room there.",
                folder=job.folder.parent,
                reason=error.strerror,
            )
            job.end("failed", no_room)
            return
        try:
            worker = Worker() if job.ahead else self._take_worker()
            if job.ahead:
                worker.stand_back()
        except OSError as error:
            no_process = Message(
                "The run could not start, because the system allows no further process "
                "({reason}): close other programs.",
                reason=error.strerror,
            )
            job.end("failed", no_process)
            return
        if not job.hand_to(worker):
            worker.end()

    def _take_worker(self) -> Worker:
        with self._change:
            spare, self._spare = self._spare, None
        if spare is not None:
            if spare.exit_code is None:
                self._failures = 0
                return spare
            spare.end()
        return Worker()

    def _keep_spare(self) -> None:
        """Start a spare worker while the processor has nothing else to do."""
        with self._change:
            jobs = self._jobs.values()
            idle = not any(job.busy for job in jobs if not job.ahead)
            due = time.monotonic() >= self._spare_due
            code = None if self._spare is None else self._spare.exit_code
            if self._spare is not None and code is not None:
                self._spare.end()
                self._spare, due = None, False
                self._put_off(why_ended(code))
            if (
                due
                and self._wants_spare
                and idle
                and not self._spare
                and not self._closed
            ):
                try:
                    self._spare = Worker()
                except OSError as error:
                    self._put_off(error.strerror or type(error).__name__)

    def _put_off(self, reason: str) -> None:
        """Try again later, and ever later, where no worker can be started."""
        self._failures += 1
        seconds = min(600.0, 5.0 * 2**self._failures)
        self._spare_due = time.monotonic() + seconds
        print(
            f"coterie: no worker can be started ({reason}); again in {seconds:.0f} s",
            file=sys.stderr,
        )


def _others(job: Job, session: str) -> bool:
    """Return whether a run belongs to another open tab as well."""
    return any(map(tabs.is_open, job.sessions - {session}))


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """Return the server's registry; the first call starts a spare worker."""
    share = shares()
    if not share.many:
        return Registry(share.runs, share.run_bytes)
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
