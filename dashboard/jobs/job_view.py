"""How far a run is, as pages see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dashboard.jobs.assessment import Assessment, Findings
from engine.analysis.experiment import Experiment
from engine.analysis.timing import Timing
from engine.core.message import Message
from engine.core.trace import Point
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

State = Literal["running", "done", "cancelled", "failed"]


@dataclass(frozen=True)
class Search:
    """The search in progress.

    Attributes
    ----------
    position : int
        Of its plan.
    seconds : float
        Since it began.
    points : tuple of Point
        How loss and bound came closer; empty where that is not known.
    stopping : bool
        Whether it was told to end with the best so far.
    """

    position: int
    seconds: float
    points: tuple[Point, ...]
    stopping: bool = False


@dataclass(frozen=True, eq=False)
class JobView:
    """How far a run is.

    Attributes
    ----------
    state : {"running", "done", "cancelled", "failed"}
    share : float
        Done, from 0 to 1; never falls.
    stage : Message
        What is being done now.
    table : Table
    plans : tuple of Plan
    results : mapping of int to Outcome or Failure
        By position in `plans`, as they arrive; complete when the state is "done".
    message : Message
        For a failed run, one sentence that says why and what to do.
    seconds : float
        Since the start; stands still once the run has ended.
    search : Search or None
        The search that is going on, if the method is one.
    asked : Assessment, Experiment or None
        What is worked out for outcomes that were there before, or how the plans are
        timed; None for a run.
    findings : mapping of int to Findings
        By position, what was found beside measures where that was asked for.
    timings : tuple of Timing
        Times taken so far, where methods are timed.
    todo : tuple of Plan
        Plans without a result when it began.
    preparing : bool
        Whether it waits until the methods are compiled, as once after installing.
    prepared : float
        Seconds that it has waited so.
    early : mapping of int to Outcome
        By position, those that lack their lower bound, or whose groups get better yet,
        and that are no results.
    so_far : mapping of int to Outcome
        By position, those of `results` to come whose first figures are there.
    """

    state: State
    share: float
    stage: Message
    table: Table
    plans: tuple[Plan, ...]
    results: Mapping[int, Result]
    message: Message
    seconds: float
    search: Search | None = None
    asked: Assessment | Experiment | None = None
    findings: Mapping[int, Findings] = field(default_factory=dict)
    timings: tuple[Timing, ...] = ()
    todo: tuple[Plan, ...] = ()
    so_far: Mapping[int, Outcome] = field(default_factory=dict)
    preparing: bool = False
    prepared: float = 0.0
    early: Mapping[int, Outcome] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        """Whether the run has not ended yet."""
        return self.state == "running"

    @property
    def gives_way(self) -> bool:
        """Whether what is measured here is nothing that anybody has asked for."""
        return isinstance(self.asked, Assessment) and self.asked.by_itself

    @property
    def busy(self) -> bool:
        """Whether what somebody asked for is going on."""
        return self.running and not self.gives_way
