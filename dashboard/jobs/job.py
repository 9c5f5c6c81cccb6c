"""One job: a run as the server sees it."""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from dashboard.jobs import assessment, timing
from dashboard.jobs.assessment import Assessment, Findings
from dashboard.jobs.failures import why_ended
from dashboard.jobs.folders import new_folder
from dashboard.jobs.job_view import JobView, Search, State
from dashboard.jobs.process import Worker
from engine.analysis.experiment import Experiment
from engine.analysis.timing import Timing
from engine.core.message import NOTHING, Message, from_json
from engine.core.trace import Point
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.storage.outcomes import load_outcome, read_json, save_table, write_json

WAITING = Message("Waiting for a run before this one to end")
"""What a run does that others are before."""


@dataclass(eq=False)
class Job:
    """One run, from the click to the last look at it.

    Attributes
    ----------
    table, plans, results, asked, findings, timings, so_far
        As in :class:`JobView`.
    outcomes : mapping of int to Outcome
        By position, those that are assessed.
    folder : Path
        What server and worker exchange; made by :meth:`write`, removed at the end.
    sessions : set of str
        Whose run it is: sessions that started it or looked at it.
    person : str
        Who started it; runs of one person stand back behind those of others.
    ahead : bool
        Whether nobody has asked for it: it works on what is likely to be asked for.
    launched : bool
        Whether it has left the queue.
    spent : float
        Seconds of processor that it has taken.
    seen : float
        When somebody last showed interest.
    asked_since : float
        Since when it has waited, where it waits.
    stopping : int or None
        Position of the plan whose search was told last to end.
    preparing, prepared, early
        As in :class:`JobView`.
    """

    table: Table
    plans: tuple[Plan, ...]
    results: dict[int, Result]
    folder: Path
    sessions: set[str]
    asked: Assessment | Experiment | None = None
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)
    findings: dict[int, Findings] = field(default_factory=dict)
    timings: tuple[Timing, ...] = ()
    so_far: dict[int, Outcome] = field(default_factory=dict)
    state: State = "running"
    share: float = 0.0
    stage: Message = WAITING
    message: Message = NOTHING
    search: Search | None = None
    stopping: int | None = None
    preparing: bool = False
    prepared: float = 0.0
    early: dict[int, Outcome] = field(default_factory=dict)
    person: str = ""
    ahead: bool = False
    launched: bool = False
    since: float = 0.0
    spent: float = 0.0
    done_before: float = 0.0
    worker: Worker | None = None
    started: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    asked_since: float = field(default_factory=time.monotonic)
    ended: float | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        known = self.results
        self._early_read: dict[int, int] = {}
        self._give_back: Callable[[Worker], None] = Worker.end
        self._todo = tuple(
            plan for position, plan in enumerate(self.plans) if position not in known
        )

    @property
    def busy(self) -> bool:
        """Whether it takes up a place among the parallel runs."""
        return self.launched and self.state == "running"

    def write(self) -> None:
        """Write what the worker needs."""
        self.folder.mkdir(mode=0o700)
        (self.folder / "results").mkdir()
        # Runs do not write releases.
        save_table(replace(self.table, carried=None), self.folder / "table")
        if isinstance(self.asked, Experiment):
            timing.write(self.asked, self.plans, self.timings, self.folder)
            return
        if self.asked is not None:
            assessment.write(self.asked, self.outcomes, self.table, self.folder)
            return
        todo = [
            {"position": position, "plan": plan.to_json()}
            for position, plan in enumerate(self.plans)
            if position not in self.results
        ]
        write_json(self.folder / "plans.json", todo)

    def hand_to(
        self, worker: Worker, give_back: Callable[[Worker], None] | None = None
    ) -> bool:
        """Give the run to a worker; False if it has been stopped in the meantime.

        `give_back` takes the worker when the run is done; without, it ends.
        """
        with self.lock:
            if self.state != "running":
                shutil.rmtree(self.folder, ignore_errors=True)
                return False
            self.worker = worker
            self._give_back = give_back or Worker.end
            with contextlib.suppress(BrokenPipeError):  # dead: refresh() will say so
                worker.order(self.folder)
            return True

    def refresh(self) -> None:
        """Read what the worker has written since the last time."""
        with self.lock:
            if self.worker is None or self.state != "running":
                return
            # Asked before the results are read: what an ended worker wrote is there.
            exit_code = self.worker.exit_code
            try:
                end = _end_of(_read_if_there(self.folder / "end.json"))
                self._follow(_read_if_there(self.folder / "progress.json"))
                self.gather()
            except Exception as error:  # where files are damaged, it can be any
                unreadable = Message(
                    "What the run has written cannot be read ({error}), perhaps "
                    "because the folder for temporary files was tidied up: run it "
                    "again.",
                    error=type(error).__name__,
                )
                self.end("failed", unreadable)
                return
            if end == "paused":
                self._wait_again()
            elif end is not None:
                self.end(*end)
            elif exit_code is not None:
                self.end("failed", why_ended(exit_code))

    def _follow(self, progress: dict[str, Any] | None) -> None:
        """Take over how far the worker says that it is."""
        if progress is None:
            return
        done = self.done_before + (1.0 - self.done_before) * progress["share"]
        self.share = max(self.share, min(1.0, done))
        self.stage = from_json(progress["stage"])
        self.search = self._search(progress.get("search"))
        self.preparing = bool(progress["preparing"])
        self.prepared = float(progress["prepared"])

    def pause(self) -> None:
        """Have the worker stop after the plan that it is at, for somebody else's."""
        with self.lock, contextlib.suppress(OSError):  # ended in the meantime
            if self.state == "running" and self.worker is not None:
                write_json(self.folder / "pause.json", {})

    def give_way(self) -> None:
        """Stop at once for somebody else's run, and go back into the queue."""
        with self.lock:
            self.refresh()
            if self.state == "running" and self.worker is not None:
                self._wait_again()

    def _wait_again(self) -> None:
        """Go back into the queue with the plans that are left."""
        assert self.worker is not None
        self.asked_since = time.monotonic()
        self.count()
        self.worker.end()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.worker, self.launched, self.search = None, False, None
        self.folder, self.stage = new_folder(), WAITING
        if self.asked is None and self.plans:
            self.done_before = len(self.results) / len(self.plans)

    def count(self) -> None:
        """Note how much of the processor the worker has taken."""
        if self.worker is not None:
            self.spent += self.worker.seconds_since_asked()

    def _search(self, content: dict[str, Any] | None) -> Search | None:
        if content is None:
            return None
        points = tuple(Point(*point) for point in content["points"])
        position = self._position(content["position"])
        stopping = position == self.stopping
        return Search(position, float(content["seconds"]), points, stopping)

    def _position(self, said: str | int) -> int:
        """Return what a worker says is the position of a plan, if there is one."""
        if not 0 <= (position := int(said)) < len(self.plans):
            raise ValueError(f"There is no plan {position}.")
        return position

    def enough(self) -> None:
        """Tell the search that is going on to end with the best so far."""
        with self.lock:
            if self.state == "running" and self.search is not None:
                self.stopping = self.search.position
                write_json(self.folder / "enough.json", {"position": self.stopping})
                self.search = replace(self.search, stopping=True)

    def gather(self) -> None:
        """Load the results that have arrived."""
        if isinstance(self.asked, Experiment):
            self.timings = timing.load(self.folder)
            return
        for folder in sorted((self.folder / "results").glob("[0-9]*")):
            position = self._position(folder.name)
            if position in self.outcomes:
                if position not in self.results:
                    found = assessment.load(folder, self.outcomes[position], self.table)
                    self.results[position], self.findings[position] = found
            elif position not in self.results:
                self.results[position] = load_outcome(folder, self.table)
        self._gather_early()
        left = {p: one for p, one in self.outcomes.items() if p not in self.results}
        for position, outcome in assessment.found_so_far(self.folder, left).items():
            known = self.so_far.get(position)
            if known is None or len(known.scores) < len(outcome.scores):
                self.so_far[position] = outcome

    def _gather_early(self) -> None:
        """Load the latest of what has arrived early; what is a result by now goes."""
        for folder in (self.folder / "early").glob("[0-9]*"):
            position = self._position(folder.name)
            if position in self.results:
                self.early.pop(position, None)
                continue
            numbers = [int(one.name) for one in folder.glob("[0-9]*")]
            latest = max(numbers, default=-1)
            if latest > self._early_read.get(position, -1):
                found = load_outcome(folder / str(latest), self.table)
                assert isinstance(found, Outcome)
                self.early[position] = found
                self._early_read[position] = latest

    def end(self, state: State, message: Message = NOTHING) -> None:
        """Stop the worker, if there is one, and remove the folder."""
        with self.lock:
            if self.state != "running":
                return
            self.state, self.message, self.search = state, message, None
            self.early.clear()
            self.ended = time.monotonic()
            if state == "done":
                self.share = 1.0
            if self.worker is not None:
                self.count()
                (self._give_back if state == "done" else Worker.end)(self.worker)
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
                search=self.search,
                asked=self.asked,
                findings=MappingProxyType(dict(self.findings)),
                timings=self.timings,
                todo=self._todo,
                preparing=self.preparing,
                prepared=self.prepared,
                early=MappingProxyType(dict(self.early)),
                so_far=MappingProxyType(dict(self.so_far)),
            )


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
            return state, from_json(content["message"])
    raise ValueError("A run ends done, failed or paused.")
