"""The search for classes of persons whose histories are alike, in rounds of steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.kernels.persons.classes import (
    PersonClassState,
    anneal_classes,
    match_class_members,
)
from engine.kernels.persons.matching import ClassScratch, Histories, make_class_scratch
from engine.kernels.records.random_stream import State
from engine.persons.effort import SearchEffort
from engine.persons.other_persons_neighbours import nearest_records_of_other_persons

NEAR = 12
"""Nearest persons whose classes a person may join."""

STEPS_PER_PERSON, LEAST_PER_PERSON = 2_500, 15
"""Steps of a search for each person, in small tables and in large ones."""

MAX_STEPS, MAX_STEPS_BY_PERSON = 1_500_000, 5_000_000_000
"""Steps of a search in middling tables: of these two, the second is divided by the
number of persons. Four times as many steps for 20,000 persons lose 1 to 2 % less."""

MAX_WORK, WORK_PER_RECORD = 1_800_000_000, 1_500_000
"""Steps, and values looked at in all and for each record, that a round may take."""

TRIAL = 2_000
"""Most steps taken to measure the work of a step."""

FEWEST_WARM = 100
"""Fewest steps for each person with which a search also accepts higher SSE."""

HOTTEST, COLDEST = 0.15, 0.012
"""First and last temperature, in shares of the mean SSE of a class."""

SETTLING = 0.1
"""Share of the steps, the last ones, in which only gains are kept."""

WORK = 20_000_000
"""Values that one kernel call may look at: some 0.05 s between ticks."""

STAGE = Message("Classes of persons")


class ClassSearch:
    """The search for classes, in pieces short enough for progress and cancel."""

    def __init__(
        self,
        histories: Histories,
        axis: Values,
        person_values: Values,
        first: Labels,
        k: int,
        effort: SearchEffort,
    ) -> None:
        self.histories, self.axis, self.k, self.effort = histories, axis, k, effort
        sizes = np.bincount(first).astype(np.int64)
        members = np.full((sizes.size, 2 * k - 1), -1, dtype=np.int64)
        order = np.argsort(first, kind="stable")
        place = np.arange(first.size) - (np.cumsum(sizes) - sizes)[first[order]]
        members[first[order], place] = order
        self.classes = PersonClassState(
            of=first.copy(),
            members=members,
            size=sizes,
            groups=np.zeros(sizes.size, dtype=np.int64),
            cost=np.zeros(sizes.size),
            label=np.zeros(histories.V.shape[0], dtype=np.int64),
        )
        lengths = np.diff(histories.start)
        self.scratch: ClassScratch = make_class_scratch(
            lengths, k, histories.V.shape[1]
        )
        self.seen = person_values
        n_records, n_varying = histories.V.shape
        self.share = effort.step_share(n_varying + histories.C.shape[1])
        # Of a step's work only the distances grow with the coordinates.
        self.max_work = (0.5 + 0.5 * self.share) * min(
            effort.share_of_table * MAX_WORK, WORK_PER_RECORD * n_records
        )
        self.state: State = np.array([effort.seed], dtype=np.uint64)

    def run(self, ctx: RunContext) -> None:
        """Match all classes; then search as long as the effort says."""
        self.begin(ctx.subcontext(0.0, 0.1))
        n_persons = self.seen.shape[0]
        if self.classes.size.size < 2 and not self.histories.V.shape[1]:
            return
        neighbours = nearest_records_of_other_persons(
            self.seen,
            np.arange(n_persons),
            NEAR,
            self.effort.share_of_table,
            ctx.subcontext(0.1, 0.2),
        )
        steps = self._steps(neighbours)
        rest, full_effort = ctx.subcontext(0.2, 1.0), self.effort
        if steps < FEWEST_WARM * n_persons and not full_effort.is_open:
            self._round(neighbours, steps, rest)  # of gains alone: it ends no worse
            return
        best, done = self._copy(), False
        # First as long as a method that asks for nothing: more must not end worse.
        self.effort = (
            full_effort.with_share(full_effort.share)
            if full_effort.is_open
            else full_effort
        )
        while not done:
            over = self._round(neighbours, steps, rest)
            if self.classes.cost.sum() < best.cost.sum():
                best = self._copy()
            if self.effort is full_effort:
                done = over or not full_effort.is_open or full_effort.is_over()
                steps *= 2
            self.effort, done = full_effort, done or ctx.enough()
        self.classes = best

    def labels(self) -> tuple[Labels, Labels]:
        """Return the class, and the group, of each record of a person."""
        lengths = np.diff(self.histories.start)
        classes: Labels = np.repeat(self.classes.of, lengths)
        first = np.cumsum(self.classes.groups) - self.classes.groups
        labels: Labels = first[classes]
        labels += self.classes.label
        return classes, labels

    def _copy(self) -> PersonClassState:
        """Return the classes as they are now."""
        copies = {name: each.copy() for name, each in self.classes._asdict().items()}
        return PersonClassState(**copies)

    def begin(self, ctx: RunContext) -> None:
        """Match the members of all classes, as the search begins with them."""
        count = self.classes.size.size
        step = max(1, 5_000 * count // self.histories.V.shape[0])
        for first, last in ctx.iterate_ranges(count, step, STAGE):
            match_class_members(
                self.histories, self.classes, self.scratch, self.axis, first, last
            )

    def _steps(self, neighbours: Integers) -> int:
        """Return how many steps a round has; those that measure it are taken."""
        n_persons: int = self.seen.shape[0]
        trial = min(TRIAL, 4 * n_persons)
        before = int(self.scratch.work[0])
        self._anneal(neighbours, 0.0, trial, trial, lambda place: False)
        each = (int(self.scratch.work[0]) - before) / trial
        share = self.effort.share_of_table
        few = share * min(MAX_STEPS, share * MAX_STEPS_BY_PERSON / n_persons)
        max_steps = self.share * min(
            STEPS_PER_PERSON * n_persons,
            max(few, min(share * MAX_STEPS, LEAST_PER_PERSON * n_persons)),
        )
        return max(trial, int(min(max_steps, self.max_work / each)))

    def _round(self, neighbours: Integers, steps: int, ctx: RunContext) -> bool:
        """Take the steps of a round; return whether time was over before its end."""
        hot, cost = 0.0, float(self.classes.cost.mean())
        if steps >= FEWEST_WARM * self.seen.shape[0]:
            hot = HOTTEST * cost
        settling, over = int(SETTLING * steps) if hot > 0.0 else 0, False

        def stop(place: int) -> bool:
            ctx.tick(place, steps, STAGE)
            has_begun = place > 0 or self.effort.steps > 0
            return has_begun and (self.effort.is_over() or ctx.enough())

        for warmth, count in ((hot, steps - settling), (0.0, settling)):
            max_moves = count
            if self.effort.max_steps:
                max_moves = min(
                    count, max(0, self.effort.max_steps - self.effort.steps)
                )
            work = np.inf if self.effort.is_open else self.max_work * count / steps
            done = self._anneal(neighbours, warmth, count, max_moves, stop, work)
            self.effort.steps += done
            over = over or done < count
        return over

    def _anneal(
        self,
        neighbours: Integers,
        hot: float,
        steps: int,
        max_moves: int,
        stop: Callable[[int], bool],
        max_work: float = np.inf,
    ) -> int:
        """Take steps, fewer where they would exceed the work; return their number."""
        place, cold, done = 0, hot * COLDEST / HOTTEST, self.scratch.work
        requested_steps, limit = steps, int(done[0]) + max_work
        while place < min(steps, max_moves) and not stop(place):
            first, before = place, int(done[0])
            place = int(
                anneal_classes(
                    self.histories,
                    self.classes,
                    self.scratch,
                    neighbours,
                    self.axis,
                    self.k,
                    hot,
                    cold,
                    self.state,
                    place,
                    steps,
                    min(steps, max_moves),
                    WORK,
                )[0]
            )
            # Warm classes of unlike histories take more work than the trial did.
            each = (int(done[0]) - before) / (place - first)
            remaining_steps = max(0.0, (limit - int(done[0])) / each)
            steps = (
                requested_steps
                if remaining_steps >= requested_steps - place
                else place + int(remaining_steps)
            )
        return place
