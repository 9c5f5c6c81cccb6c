"""One job: a run as the server sees it, with its worker, state and results."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from dashboard.audit import events
from dashboard.jobs import assessment, needs, timing
from dashboard.jobs.assessment import AssessmentRequest, OutcomeFindings
from dashboard.jobs.failures import exit_code_message
from dashboard.jobs.job_view import JobView, LiveSearchTrace, State
from dashboard.jobs.needs import NeedRequest
from dashboard.jobs.scheduling.scheduler import QueuePlace
from dashboard.jobs.workers.folders import new_job_folder_path
from dashboard.jobs.workers.process import WorkerProcess
from engine.analysis.curves.experiment import Experiment
from engine.analysis.curves.timing import MethodTiming
from engine.analysis.need import Need
from engine.core.errors import EngineError
from engine.core.message import NO_MESSAGE, Message, message_from_json
from engine.core.numerics.trace import TracePoint
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.compare import Result, expected_first_result_seconds
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_seconds_each
from engine.storage.figures import bounds_to_json
from engine.storage.outcomes import load_outcome, read_json, save_table, write_json

WAITING_FOR_EARLIER_RUN = Message("Waiting for a run before this one to end")
"""Message of a run that waits in the queue behind others."""

_KINDS: Mapping[type, str] = {
    type(None): "run",
    AssessmentRequest: "assessment",
    Experiment: "experiment",
    NeedRequest: "need",
}
"""What the audit log calls a run, by what is asked for."""


@dataclass(eq=False)
class Job:
    """A run on a table in the server: plans, worker, state, progress and results.

    Attributes
    ----------
    table, plans, results, asked, findings, timings, answer, so_far
        As in :class:`JobView`.
    outcomes : mapping of int to Outcome
        By position, those that are assessed.
    folder : Path
        What server and worker exchange; made by :meth:`write_input`, removed at the
        end.
    sessions : set of str
        Whose run it is: sessions that started it or looked at it.
    person : str
        Who started it; runs of one person stand back behind those of others.
    launched, since : bool, float
        Whether it has left the queue, and when it did last.
    note_spent : callable
        Told how many seconds of processor it has taken, each time that it stops.
    seen : float
        When somebody last showed interest.
    asked_since : float
        Since when it has waited, where it waits.
    queue_place : QueuePlace or None
        Where it is in the queue, where it waits.
    stopping : int or None
        Position of the plan whose search was told last to end.
    preparing, prepared, early
        As in :class:`JobView`.
    note_end : callable
        Told how it has ended.
    """

    table: Table
    plans: tuple[Plan, ...]
    results: dict[int, Result]
    folder: Path
    sessions: set[str]
    asked: AssessmentRequest | Experiment | NeedRequest | None = None
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)
    findings: dict[int, OutcomeFindings] = field(default_factory=dict)
    timings: tuple[MethodTiming, ...] = ()
    answer: Need | None = None
    so_far: dict[int, Outcome] = field(default_factory=dict)
    state: State = "running"
    share: float = 0.0
    stage: Message = WAITING_FOR_EARLIER_RUN
    message: Message = NO_MESSAGE
    search: LiveSearchTrace | None = None
    stopping: int | None = None
    preparing: bool = False
    prepared: float = 0.0
    early: dict[int, Outcome] = field(default_factory=dict)
    person: str = ""
    launched: bool = False
    since: float = 0.0
    done_before: float = 0.0
    worker: WorkerProcess | None = None
    started: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    asked_since: float = field(default_factory=time.monotonic)
    queue_place: QueuePlace | None = None
    ended: float | None = None
    note_end: Callable[[State], None] = lambda state: None
    note_spent: Callable[[float], None] = lambda seconds: None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        results = self.results
        self._early_read: dict[int, int] = {}
        self._give_back: Callable[[WorkerProcess], None] = _end_worker
        todo = {at: plan for at, plan in enumerate(self.plans) if at not in results}
        self._todo = tuple(todo.values())
        self._expected: dict[int, float] = {}
        self._first_expected: dict[int, float] = {}
        if self.asked is None and todo:
            # Of a plan that cannot be run, the worker says why.
            with contextlib.suppress(EngineError, LookupError):
                each = expected_seconds_each(self._todo, self.table)
                self._expected = dict(zip(todo, each, strict=True))

    @property
    def has_result(self) -> bool:
        """Whether the run has shown a result, or is an automatic assessment."""
        is_wanted = not (
            isinstance(self.asked, AssessmentRequest) and self.asked.by_itself
        )
        n_known = len(self.plans) - len(self._todo)
        return not is_wanted or bool(self.early) or len(self.results) > n_known

    @property
    def expected_seconds(self) -> list[float]:
        """Seconds that each plan without a result should take; empty if unknown."""
        return [each for at, each in self._expected.items() if at not in self.results]

    @property
    def first_seconds(self) -> float:
        """Seconds until the next plan should show anything; 0 if unknown."""
        at = next((at for at in self._expected if at not in self.results), None)
        if at is None:
            return 0.0
        if at not in self._first_expected:  # it looks at all strata
            seconds = expected_first_result_seconds(self.plans[at], self.table)
            self._first_expected[at] = seconds
        return self._first_expected[at]

    @property
    def is_busy(self) -> bool:
        """Whether the run occupies a worker slot."""
        return self.launched and self.state == "running"

    def log_run_start(self, person: str) -> None:
        """Log the start of the run, and its end when it comes.

        Parameters
        ----------
        person : str
            Who has asked for it, where people sign in.

        Raises
        ------
        AuditError
            If it cannot be logged.
        """
        todo = (p for at, p in enumerate(self.plans) if at not in self.results)
        facts: dict[str, Any] = {
            "run": secrets.token_hex(8),
            "kind": _KINDS[type(self.asked)],
            "plans": [plan.digest() for plan in todo],
        }
        table = self.table.fingerprint
        events.log_event("run-begun", person, table=table, **facts)

        def note_end(state: State) -> None:
            events.log_event_ignoring_failure("run-ended", person, state=state, **facts)

        self.note_end = note_end

    def write_input(self) -> None:
        """Write the worker's input files."""
        self.folder.mkdir(mode=0o700)
        (self.folder / "results").mkdir()
        # Runs do not write releases.
        save_table(replace(self.table, carried=None), self.folder / "table")
        if isinstance(self.asked, Experiment):
            timing.write_timing_job(self.asked, self.plans, self.timings, self.folder)
            return
        if isinstance(self.asked, NeedRequest):
            needs.write_need_job(self.asked, self.plans[0], self.folder)
            return
        if self.asked is not None:
            assessment.write_assessment_job(
                self.asked, self.outcomes, self.table, self.folder
            )
            return
        todo = [
            {"position": position, "plan": plan.to_json(), "is_first": False}
            for position, plan in enumerate(self.plans)
            if position not in self.results
        ]
        for entry in todo[:1]:
            entry["is_first"] = not self.has_result
        write_json(self.folder / "plans.json", todo)
        # A run that stood back has another worker, which need not prove them anew. What
        # a search has proven depends on its time, and stays its own.
        outcomes = (
            run
            for run in self.results.values()
            if isinstance(run, Outcome)
            and not methods.info(run.plan.method).traits.time_budget
        )
        write_json(self.folder / "bounds.json", bounds_to_json(outcomes))

    def assign_worker(
        self,
        worker: WorkerProcess,
        give_back: Callable[[WorkerProcess], None] | None = None,
    ) -> bool:
        """Give the run to a worker; return False if it was stopped in the meantime.

        `give_back` takes the worker when the run is done; without, it ends.
        """
        with self.lock:
            if self.state != "running":
                shutil.rmtree(self.folder, ignore_errors=True)
                return False
            self.worker = worker
            self._give_back = give_back or _end_worker
            with contextlib.suppress(BrokenPipeError):  # dead: poll() will say so
                worker.send_job(self.folder)
            return True

    def poll(self) -> None:
        """Read what the worker has written since the last poll."""
        with self.lock:
            if self.worker is None or self.state != "running":
                return
            # Asked before the results are read: what an ended worker wrote is there.
            exit_code = self.worker.exit_code
            try:
                end = _end_of(_read_if_there(self.folder / "end.json"))
                self._follow(_read_if_there(self.folder / "progress.json"))
                self.load_results()
            except Exception as error:  # where files are damaged, it can be any
                unreadable = Message(
                    "What the run has written cannot be read ({error}), perhaps "
                    "because the folder for temporary files was tidied up: run it "
                    "again.",
                    error=type(error).__name__,
                )
                self.finish("failed", unreadable)
                return
            if end == "paused":
                self._wait_again()
            elif end is not None:
                self.finish(*end)
            elif exit_code is not None:
                self.finish("failed", exit_code_message(exit_code))

    def _follow(self, progress: dict[str, Any] | None) -> None:
        """Take over how far the worker says that it is."""
        if progress is None:
            return
        done = self.done_before + (1.0 - self.done_before) * progress["share"]
        self.share = max(self.share, min(1.0, done))
        self.stage = message_from_json(progress["stage"])
        self.search = self._search(progress.get("search"))
        self.preparing = bool(progress["preparing"])
        self.prepared = float(progress["prepared"])

    def pause_after_plan(self) -> None:
        """Have the worker pause after its current plan, in favour of another run."""
        with self.lock, contextlib.suppress(OSError):  # ended in the meantime
            if self.state == "running" and self.worker is not None:
                write_json(self.folder / "pause.json", {})

    def preempt(self) -> None:
        """Stop at once in favour of another run, and return to the queue."""
        with self.lock:
            self.poll()
            if self.state == "running" and self.worker is not None:
                self._wait_again()

    def _wait_again(self) -> None:
        """Go back into the queue with the plans that are left."""
        assert self.worker is not None
        self.asked_since = time.monotonic()
        self.record_cpu_time()
        self.worker.kill_and_wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.worker, self.launched, self.search = None, False, None
        self.folder, self.stage = new_job_folder_path(), WAITING_FOR_EARLIER_RUN
        if self.asked is None and self.plans:
            self.done_before = len(self.results) / len(self.plans)

    def record_cpu_time(self) -> None:
        """Add the worker's processor time since the last call to its person's quota."""
        if self.worker is not None:
            self.note_spent(self.worker.cpu_seconds_since_last_call())

    def _search(self, content: dict[str, Any] | None) -> LiveSearchTrace | None:
        if content is None:
            return None
        points = tuple(TracePoint(*point) for point in content["points"])
        position = self._position(content["position"])
        stopping = position == self.stopping
        return LiveSearchTrace(position, float(content["seconds"]), points, stopping)

    def _position(self, place: str | int) -> int:
        """Return what a worker says is the position of a plan, if there is one."""
        if not 0 <= (position := int(place)) < len(self.plans):
            raise ValueError(f"There is no plan {position}.")
        return position

    def request_early_stop(self) -> None:
        """Tell the running search to end with the best groups so far."""
        with self.lock:
            if self.state == "running" and self.search is not None:
                self.stopping = self.search.position
                write_json(self.folder / "enough.json", {"position": self.stopping})
                self.search = replace(self.search, stopping=True)

    def load_results(self) -> None:
        """Load the results that have arrived since the last call."""
        if isinstance(self.asked, Experiment):
            self.timings = timing.load_timings(self.folder)
            return
        if isinstance(self.asked, NeedRequest):
            self.answer = needs.load_need_answer(self.folder, self.table)
            return
        for folder in sorted((self.folder / "results").glob("[0-9]*")):
            position = self._position(folder.name)
            if position in self.outcomes:
                if position not in self.results:
                    pair = assessment.load_outcome_and_findings(
                        folder, self.outcomes[position], self.table
                    )
                    self.results[position], self.findings[position] = pair
            elif position not in self.results:
                self.results[position] = load_outcome(folder, self.table)
        self._gather_early()
        todo = {p: entry for p, entry in self.outcomes.items() if p not in self.results}
        for position, outcome in assessment.load_partly_assessed_outcomes(
            self.folder, todo
        ).items():
            old_outcome = self.so_far.get(position)
            if old_outcome is None or len(old_outcome.scores) < len(outcome.scores):
                self.so_far[position] = outcome

    def _gather_early(self) -> None:
        """Load the latest of what has arrived early; what is a result by now goes."""
        for folder in (self.folder / "early").glob("[0-9]*"):
            position = self._position(folder.name)
            if position in self.results:
                self.early.pop(position, None)
                continue
            numbers = [int(path.name) for path in folder.glob("[0-9]*")]
            latest = max(numbers, default=-1)
            if latest > self._early_read.get(position, -1):
                outcome = load_outcome(folder / str(latest), self.table)
                assert isinstance(outcome, Outcome)
                self.early[position] = outcome
                self._early_read[position] = latest

    def finish(self, state: State, message: Message = NO_MESSAGE) -> None:
        """Set the final state, end or give back the worker, and remove the folder."""
        with self.lock:
            if self.state != "running":
                return
            self.state, self.message, self.search = state, message, None
            self.early.clear()
            self.ended = time.monotonic()
            self.note_end(state)
            if state == "done":
                self.share = 1.0
            if self.worker is not None:
                self.record_cpu_time()
                (self._give_back if state == "done" else _end_worker)(self.worker)
            shutil.rmtree(self.folder, ignore_errors=True)

    def to_view(self) -> JobView:
        """Return a read-only snapshot of the run's progress, for pages."""
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
                search=self.search,
                queue_place=None if self.launched else self.queue_place,
                asked=self.asked,
                findings=MappingProxyType(dict(self.findings)),
                timings=self.timings,
                answer=self.answer,
                todo=self._todo,
                preparing=self.preparing,
                prepared=self.prepared,
                early=MappingProxyType(dict(self.early)),
                so_far=MappingProxyType(dict(self.so_far)),
            )


def _end_worker(worker: WorkerProcess) -> None:
    worker.kill_and_wait()  # as its own class does


def _read_if_there(path: Path) -> dict[str, Any] | None:
    try:
        content = read_json(path)
    except FileNotFoundError:
        return None
    assert isinstance(content, dict)
    return content


def _end_of(
    content: dict[str, Any] | None,
) -> Literal["paused"] | tuple[State, Message] | None:
    """Return how a worker says that its run ended; None while it has not."""
    if content is None:
        return None
    match content["state"]:
        case "paused":
            return "paused"
        case "done" | "failed" as state:
            return state, message_from_json(content["message"])
    raise ValueError("A run ends done, failed or paused.")
