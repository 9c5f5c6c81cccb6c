"""Progress of a job as pages see it: a read-only snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dashboard.jobs.assessment import AssessmentRequest, OutcomeFindings
from dashboard.jobs.needs import NeedRequest
from dashboard.jobs.scheduling.scheduler import QueuePlace
from engine.analysis.curves.experiment import Experiment
from engine.analysis.curves.timing import MethodTiming
from engine.analysis.need import Need
from engine.core.message import Message
from engine.core.numerics.trace import TracePoint
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

State = Literal["running", "done", "cancelled", "failed"]


@dataclass(frozen=True)
class LiveSearchTrace:
    """Points of loss and bound that a running search has reached so far.

    Attributes
    ----------
    position : int
        Of its plan.
    seconds : float
        Since it began.
    points : tuple of TracePoint
        How loss and bound came closer; empty where that is not known.
    stopping : bool
        Whether it was told to end with the best so far.
    """

    position: int
    seconds: float
    points: tuple[TracePoint, ...]
    stopping: bool = False


@dataclass(frozen=True, eq=False)
class JobView:
    """Snapshot of a job's state, progress and results, for pages.

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
    search : LiveSearchTrace or None
        The search that is going on, if the method is one.
    queue_place : QueuePlace or None
        Where it is in the queue, where it waits for its turn.
    asked : AssessmentRequest, Experiment, NeedRequest or None
        What is worked out for outcomes that were there before, how the plans are
        timed, or what is needed; None for a run.
    findings : mapping of int to OutcomeFindings
        By position, what was found beside measures where that was asked for.
    timings : tuple of MethodTiming
        Times taken so far, where methods are timed.
    answer : Need or None
        Answer to what is needed, once it is there.
    todo : tuple of Plan
        Plans without a result when it began.
    preparing : bool
        Whether it waits until the methods are compiled, as once after installing.
    prepared : float
        Seconds that it has waited so.
    early : mapping of int to Outcome
        By position, outcomes that are no results yet: they lack their lower bound, or
            better groups are still searched for.
    so_far : mapping of int to Outcome
        By position, outcomes of `results` to come that have their first figures.
    """

    state: State
    share: float
    stage: Message
    table: Table
    plans: tuple[Plan, ...]
    results: Mapping[int, Result]
    message: Message
    seconds: float
    search: LiveSearchTrace | None = None
    queue_place: QueuePlace | None = None
    asked: AssessmentRequest | Experiment | NeedRequest | None = None
    findings: Mapping[int, OutcomeFindings] = field(default_factory=dict)
    timings: tuple[MethodTiming, ...] = ()
    answer: Need | None = None
    todo: tuple[Plan, ...] = ()
    so_far: Mapping[int, Outcome] = field(default_factory=dict)
    preparing: bool = False
    prepared: float = 0.0
    early: Mapping[int, Outcome] = field(default_factory=dict)

    @property
    def is_running(self) -> bool:
        """Whether the job has not ended: it waits or is being carried out."""
        return self.state == "running"

    @property
    def is_speculative(self) -> bool:
        """Whether the job is an assessment that was started automatically."""
        return isinstance(self.asked, AssessmentRequest) and self.asked.by_itself

    @property
    def is_busy(self) -> bool:
        """Whether a requested run waits or is being carried out."""
        return self.is_running and not self.is_speculative
