"""Job registry: all runs of one process, carried out by workers.

A click must never abandon a run, and a run must never end the server. So each run
has a private folder and is carried out by a worker process
(:mod:`dashboard.jobs.workers.worker`), of its own where several people are served.
"""

from __future__ import annotations

import atexit
import os
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from dashboard.audit.log import AuditError
from dashboard.jobs import failures
from dashboard.jobs.assessment import AssessmentRequest
from dashboard.jobs.job import Job
from dashboard.jobs.job_view import JobView
from dashboard.jobs.needs import NeedRequest
from dashboard.jobs.scheduling.memory_accounts import (
    estimate_result_bytes,
    memory_accounts,
)
from dashboard.jobs.scheduling.quota import RunQuota
from dashboard.jobs.scheduling.scheduler import DEFAULT_TURN_SECONDS, FairScheduler
from dashboard.jobs.workers.folders import new_job_folder_path, remove_stale_job_folders
from dashboard.jobs.workers.spare import SpareWorkerHolder
from dashboard.server import browsers, sign_in
from dashboard.server.adapter import access
from engine.analysis.curves.experiment import Experiment
from engine.core.message import NO_MESSAGE, Message
from engine.core.platform.memory import total_memory_bytes
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.plan import Plan


class JobRegistry:
    """Registry of all jobs of one process: starts, schedules, shows and ends them.

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
    turn : float
        Seconds after which a run stands back, between two plans, for those of people
        who have fewer.
    reuses_worker : bool
        Whether a worker may carry out several runs; see :class:`SpareWorkerHolder`.
    sharing : SchedulerWorkerAndQuota, optional
        Where other processes have runs as well: who decides, in the place of all of
        these but `memory` and `grace`.
    """

    def __init__(
        self,
        parallel: int | None = None,
        memory: int | None = None,
        grace: float = 60.0,
        spare: bool = True,
        turn: float = DEFAULT_TURN_SECONDS,
        reuses_worker: bool = False,
        sharing: SchedulerWorkerAndQuota | None = None,
    ) -> None:
        self._memory = memory or total_memory_bytes() * 4 // 5
        self._grace = grace
        sharing = sharing or SchedulerWorkerAndQuota(
            FairScheduler(parallel or max(2, (os.cpu_count() or 1) - 1), turn),
            SpareWorkerHolder(spare, reuses_worker),
        )
        self._turns, self._spare = sharing.turns, sharing.spare
        self._quota = sharing.quota
        self._jobs: dict[str, Job] = {}
        self._change = threading.Condition(threading.RLock())
        self._closed = False
        remove_stale_job_folders()
        atexit.register(self.close)
        threading.Thread(target=self._watch, name="jobs", daemon=True).start()

    def start(
        self,
        table: Table,
        plans: Sequence[Plan],
        known_results: Mapping[Plan, Result] | None = None,
        request: AssessmentRequest | Experiment | NeedRequest | None = None,
    ) -> str:
        """Queue a run of plans or a request on their results; return its identifier."""
        job_id = secrets.token_urlsafe(24)
        session = access.current_session_id()
        results = {
            position: known_results[plan]
            for position, plan in enumerate(plans)
            if known_results and plan in known_results
        }
        outcomes = (
            request.missing_outcomes(results)
            if isinstance(request, AssessmentRequest)
            else {}
        )
        job = Job(
            table=table,
            plans=tuple(plans),
            results={p: run for p, run in results.items() if p not in outcomes},
            folder=new_job_folder_path(),
            sessions={session} - {""},
            asked=request,
            outcomes=outcomes,
            person=sign_in.signed_in_person_id()
            or browsers.current_page_in_tab().browser
            or session,
        )
        if self._quota is not None:
            job.note_spent = partial(self._quota.record_cpu_time, job.person)
        if len(job.results) == len(plans):
            job.finish("done")
        with self._change:
            replaced = [
                self._jobs.pop(old_id)
                for old_id, old in list(self._jobs.items())
                if session in old.sessions
                and not _is_shared_with_other_tab(old, session)
            ]
            why = NO_MESSAGE
            if self._quota is not None:
                why = self._quota.denial_reason(job.person, self._jobs.values())
            if not why and request is None:
                todo = [run for at, run in enumerate(plans) if at not in job.results]
                size = estimate_result_bytes(table, todo)
                why = memory_accounts().denial_reason(size)
            if not why and job.state == "running":
                try:
                    job.log_run_start(sign_in.signed_in_person_id())
                except AuditError as error:
                    why = error.message
            if why and job.state == "running":
                job.finish("failed", why)
            self._jobs[job_id] = job
            self._change.notify()
        for old in replaced:
            old.finish("cancelled")
        return job_id

    def view_job(self, job_id: str) -> JobView | None:
        """Return a run's progress; see :func:`view_job`."""
        job = self._jobs.get(job_id)
        if job is None:
            return None
        job.seen = time.monotonic()
        job.sessions |= {access.current_session_id()} - {""}
        job.poll()
        return job.to_view()

    def cancel_job(self, job_id: str) -> None:
        """Stop a run; see :func:`cancel_job`."""
        job = self._jobs.get(job_id)
        if job is not None:
            job.poll()
            job.finish("cancelled")

    def request_early_stop(self, job_id: str) -> None:
        """End a search with the best so far; see :func:`request_early_stop`."""
        job = self._jobs.get(job_id)
        if job is not None:
            job.poll()
            job.request_early_stop()

    def close(self) -> None:
        """Stop every run and remove every file."""
        with self._change:
            self._closed = True
            jobs = list(self._jobs.values())
            self._jobs.clear()
            self._change.notify()
        for job in jobs:
            job.finish("cancelled")
        self._spare.close()
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
                    self._check_job(job_id, job)
                for job in self._turns.dispatch(list(jobs.values())):
                    self._launch_meanwhile(job)
                self._spare.ensure_ready(idle=self.is_idle())
            except Exception as error:  # which must not leave other runs alone
                failures.log_and_format_program_error("dispatch", error)

    def is_idle(self) -> bool:
        """Return whether no run occupies a worker."""
        with self._change:
            return not any(job.is_busy for job in self._jobs.values())

    def has_unfinished_runs(self) -> bool:
        """Return whether any run is carried out or waits."""
        with self._change:
            return any(job.state == "running" for job in self._jobs.values())

    def _check_job(self, job_id: str, job: Job) -> None:
        """Read a run's progress, hold it to its limits, forget it when it is alone."""
        job.poll()
        worker = job.worker
        if job.state == "running" and worker is not None:
            used = worker.resident_bytes()
            if used > self._memory:
                job.finish("failed", failures.memory_limit_message(used, self._memory))
        now = time.monotonic()
        if any(map(access.is_session_open, tuple(job.sessions))):
            job.seen = now
        elif now - job.seen > self._grace:
            job.finish("cancelled")
            with self._change:
                self._jobs.pop(job_id, None)

    def _launch_meanwhile(self, job: Job) -> None:
        """Launch a run on a thread of its own, if the system allows one."""
        try:
            threading.Thread(target=self._launch, args=(job,), daemon=True).start()
        except RuntimeError as error:
            job.finish("failed", _no_process_message(str(error)))

    def _launch(self, job: Job) -> None:
        """Write a run's folder and give it to a worker."""
        try:
            job.write_input()
        except OSError as error:
            no_room = Message(
                "The run could not start, because the folder {folder} cannot be "
                "written to ({reason}): make room there.",
                folder=job.folder.parent,
                reason=error.strerror,
            )
            job.finish("failed", no_room)
            return
        except Exception as error:  # or it would be about to start for ever
            job.finish("failed", failures.log_and_describe_failure(error))
            return
        try:
            worker = self._spare.take_worker()
        except OSError as error:
            job.finish(
                "failed", _no_process_message(error.strerror or type(error).__name__)
            )
            return
        if not job.assign_worker(worker, self._spare.return_worker):
            worker.kill_and_wait()


def _no_process_message(reason: str) -> Message:
    return Message(
        "The run could not start, because the system allows no further process "
        "({reason}): close other programs.",
        reason=reason,
    )


def _is_shared_with_other_tab(job: Job, session: str) -> bool:
    """Return whether a run belongs to another open tab as well."""
    return any(map(access.is_session_open, job.sessions - {session}))


@dataclass(frozen=True)
class SchedulerWorkerAndQuota:
    """Scheduler, spare worker holder and quota, if any, that a job registry uses.

    Attributes
    ----------
    turns : FairScheduler
    spare : SpareWorkerHolder
    quota : RunQuota or None
        None where one person has all runs.
    """

    turns: FairScheduler[Job]
    spare: SpareWorkerHolder
    quota: RunQuota[Job] | None = None
