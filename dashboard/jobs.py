"""Runs apart from the server: the only file that starts them.

A click must never abandon a run, and a run must never end the server. So each run
is a worker process (:mod:`dashboard.worker`) with a private folder; pages ask how
far it is, as often as they like::

    job = jobs.start(table, plans, known=results)    # returns at once
    view = jobs.view(job)                            # state, share, stage, results
    jobs.cancel(job)                                 # results so far stay
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import streamlit as st

from dashboard import sessions
from dashboard.process import Worker, physical_bytes, why_ended
from engine.compare import Result
from engine.errors import EngineError
from engine.plan import Plan
from engine.stored import load_outcome, read_json, save_table, write_json
from engine.table import Table

State = Literal["running", "done", "cancelled", "failed"]


@dataclass(frozen=True, eq=False)
class JobView:
    """How far a run is.

    Attributes
    ----------
    state : {"running", "done", "cancelled", "failed"}
    share : float
        Done, from 0 to 1; never falls.
    stage : str
        What is being done now.
    table : Table
    plans : tuple of Plan
    results : mapping of int to Outcome or Failure
        By position in `plans`, as they arrive; complete when the state is "done".
    message : str
        For a failed run, one sentence that says why and what to do.
    seconds : float
        Since the start; stands still once the run has ended.
    """

    state: State
    share: float
    stage: str
    table: Table
    plans: tuple[Plan, ...]
    results: Mapping[int, Result]
    message: str
    seconds: float

    @property
    def running(self) -> bool:
        """Whether the run has not ended yet."""
        return self.state == "running"


@dataclass(eq=False)
class _Job:
    """One run, from the click to the last look at it."""

    table: Table
    plans: tuple[Plan, ...]
    results: dict[int, Result]
    folder: Path
    sessions: set[str]
    state: State = "running"
    share: float = 0.0
    stage: str = "Waiting for a run before this one to end"
    message: str = ""
    launched: bool = False
    worker: Worker | None = None
    started: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    ended: float | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def busy(self) -> bool:
        """Whether it takes up a place among the parallel runs."""
        return self.launched and self.state == "running"

    def write(self) -> None:
        """Write what the worker needs."""
        self.folder.mkdir(mode=0o700)
        (self.folder / "results").mkdir()
        save_table(self.table, self.folder / "table")
        todo = [
            {"position": position, "plan": plan.to_json()}
            for position, plan in enumerate(self.plans)
            if position not in self.results
        ]
        write_json(self.folder / "plans.json", todo)

    def refresh(self) -> None:
        """Read what the worker has written since the last time."""
        with self.lock:
            if self.worker is None or self.state != "running":
                return
            # Asked before the results are read: what an ended worker wrote is there.
            exit_code = self.worker.exit_code
            end = _read_if_there(self.folder / "end.json")
            self.gather()
            progress = _read_if_there(self.folder / "progress.json")
            if progress is not None:
                self.share, self.stage = progress["share"], progress["stage"]
            if end is not None:
                self.end(end["state"], end["message"])
            elif exit_code is not None:
                self.end("failed", why_ended(exit_code))

    def gather(self) -> None:
        """Load the results that have arrived."""
        for folder in sorted((self.folder / "results").glob("[0-9]*")):
            position = int(folder.name)
            if position not in self.results:
                self.results[position] = load_outcome(folder, self.table)

    def end(self, state: State, message: str = "") -> None:
        """Stop the worker, if there is one, and remove the folder."""
        with self.lock:
            if self.state != "running":
                return
            self.state, self.message = state, message
            self.ended = time.monotonic()
            if state == "done":
                self.share = 1.0
            if self.worker is not None:
                self.worker.end()
            shutil.rmtree(self.folder, ignore_errors=True)

    def view(self) -> JobView:
        """Return a picture of this moment."""
        with self.lock:
            return JobView(
                state=self.state,
                share=self.share,
                stage=self.stage,
                table=self.table,
                plans=self.plans,
                results=MappingProxyType(dict(self.results)),
                message=self.message,
                seconds=(self.ended or time.monotonic()) - self.started,
            )


def _read_if_there(path: Path) -> dict[str, Any] | None:
    try:
        content = read_json(path)
    except FileNotFoundError:
        return None
    assert isinstance(content, dict)
    return content


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
    """

    def __init__(
        self,
        parallel: int | None = None,
        memory: int | None = None,
        grace: float = 60.0,
        spare: bool = True,
    ) -> None:
        self._parallel = parallel or max(2, (os.cpu_count() or 1) - 1)
        self._memory = memory or physical_bytes() * 4 // 5
        self._grace = grace
        self._wants_spare = spare
        self._spare: Worker | None = None
        self._jobs: dict[str, _Job] = {}
        self._change = threading.Condition(threading.RLock())
        self._closed = False
        self._root = Path(tempfile.mkdtemp(prefix="coterie-"))
        atexit.register(self.close)
        threading.Thread(target=self._watch, name="jobs", daemon=True).start()

    def start(
        self,
        table: Table,
        plans: Sequence[Plan],
        known: Mapping[Plan, Result] | None = None,
    ) -> str:
        """Start a run; see :func:`start`."""
        job_id = sessions.new_token()
        session = sessions.current()
        results = {
            position: known[plan]
            for position, plan in enumerate(plans)
            if known and plan in known
        }
        job = _Job(
            table=table,
            plans=tuple(plans),
            results=results,
            folder=self._root / secrets.token_hex(8),
            sessions={session} - {""},
        )
        if len(results) == len(plans):
            job.end("done")
        with self._change:
            replaced = [
                old_id
                for old_id, old in self._jobs.items()
                if old.sessions == {session}
            ]
            for old_id in replaced:
                self._jobs.pop(old_id).end("cancelled")
            self._jobs[job_id] = job
            self._change.notify()
        return job_id

    def view(self, job_id: str) -> JobView | None:
        """Return how far a run is; see :func:`view`."""
        job = self._jobs.get(job_id)
        if job is None:
            return None
        job.seen = time.monotonic()
        job.sessions |= {sessions.current()} - {""}
        job.refresh()
        return job.view()

    def cancel(self, job_id: str) -> None:
        """Stop a run; see :func:`cancel`."""
        job = self._jobs.get(job_id)
        if job is not None:
            job.refresh()
            job.end("cancelled")

    def close(self) -> None:
        """Stop every run and remove every file."""
        with self._change:
            self._closed = True
            for job in self._jobs.values():
                job.end("cancelled")
            self._jobs.clear()
            if self._spare is not None:
                self._spare.end()
            self._change.notify()
        shutil.rmtree(self._root, ignore_errors=True)

    def _watch(self) -> None:
        while True:
            with self._change:
                busy = any(job.state == "running" for job in self._jobs.values())
                self._change.wait(0.2 if busy else 2.0)
                if self._closed:
                    return
                jobs = dict(self._jobs)
            for job_id, job in jobs.items():
                self._care(job_id, job)
            self._launch_next(list(jobs.values()))
            self._keep_spare()

    def _care(self, job_id: str, job: _Job) -> None:
        """Read a run's progress, hold it to its limits, forget it when it is alone."""
        job.refresh()
        worker = job.worker
        if job.state == "running" and worker is not None:
            used = worker.resident_bytes()
            if used > self._memory:
                job.end("failed", _too_big(used, self._memory))
        now = time.monotonic()
        if any(map(sessions.is_open, tuple(job.sessions))):
            job.seen = now
        elif now - job.seen > self._grace:
            job.end("cancelled")
            with self._change:
                self._jobs.pop(job_id, None)

    def _launch_next(self, jobs: list[_Job]) -> None:
        free = self._parallel - sum(job.busy for job in jobs)
        waiting = [job for job in jobs if job.state == "running" and not job.launched]
        for job in waiting[: max(0, free)]:
            job.launched, job.stage = True, "Starting"
            threading.Thread(target=self._launch, args=(job,), daemon=True).start()

    def _launch(self, job: _Job) -> None:
        """Write a run's folder and give it to a worker."""
        try:
            job.write()
        except EngineError as error:
            job.end("failed", str(error))
        except OSError as error:
            job.end(
                "failed",
                f"The run could not start, because {self._root} cannot be written to "
                f"({error.strerror}): make room there.",
            )
        with job.lock:
            if job.state == "running":
                job.worker = self._worker()
                with contextlib.suppress(BrokenPipeError):  # refresh() says why
                    job.worker.order(job.folder)
            else:  # cancelled while it was being written
                shutil.rmtree(job.folder, ignore_errors=True)

    def _worker(self) -> Worker:
        with self._change:
            spare, self._spare = self._spare, None
            if spare is not None and spare.exit_code is None:
                return spare
        return Worker()

    def _keep_spare(self) -> None:
        """Start a spare worker while the processor has nothing else to do."""
        with self._change:
            idle = not any(job.busy for job in self._jobs.values())
            if self._wants_spare and self._spare is None and idle and not self._closed:
                self._spare = Worker()


def _too_big(used: int, limit: int) -> str:
    return (
        f"The run was stopped when it had taken {used / 2**30:.1f} GB of memory; it "
        f"may take {limit / 2**30:.1f} GB here: choose a faster method, or a table "
        "with fewer records."
    )


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """Return the server's registry; the first call starts a spare worker."""
    limit = os.environ.get("COTERIE_MEMORY_MB", "")
    return Registry(memory=int(limit) * 2**20 if limit.isdigit() else None)


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


def warm() -> None:
    """Have a worker ready before the first click."""
    registry()
