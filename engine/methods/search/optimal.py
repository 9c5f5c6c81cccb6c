"""Optimal: groups by column generation and integer programming, with a certificate."""

from __future__ import annotations

import math
import time

import numpy as np

from engine.bounds.base import CentredRecords
from engine.bounds.linear_programme.blockwise import (
    MAX_BLOCKWISE_RECORDS,
    blockwise_bound,
)
from engine.bounds.linear_programme.column_generation import MAX_LB2_RECORDS
from engine.bounds.linear_programme.column_search import (
    COLUMN_GENERATION_KIND,
    start_column_generation,
)
from engine.core.context import RunContext
from engine.core.errors import InfeasibleError
from engine.core.parameters import Float, Int
from engine.core.partition import Labels
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.search.annealing import anneal_groups
from engine.methods.search.integer_programmes.programme import (
    MAX_SOLVER_LIMIT,
    TurnCounter,
)
from engine.methods.search.integer_programmes.proof import OptimalityProof
from engine.methods.search.iterated import MAX_ITERATED_K
from engine.methods.search.starts import start_groups, start_parameter
from engine.points.base import Points

ITERATED_TIME_SHARE = 0.1
"""Share of the time for iterated search ahead of everything else."""

MAX_ITERATED_SECONDS = 60.0
"""Seconds of iterated search at most: linear programmes go on faster from there."""


@methods.register(
    MethodInfo(
        id="optimal",
        title="Optimal",
        family="search",
        summary="Begins with iterated search. Then linear and integer programmes "
        "choose among all groups that could lower the loss. The lower bound proves "
        "that no other method can reduce the loss by more than the optimality gap.",
        reference=Reference(
            "Aloise D, Hansen P, Rocha C, Santi É (2014). Column generation bounds "
            "for numerical microaggregation. Journal of Global Optimization 60(2), "
            "165-182.",
            doi="10.1007/s10898-014-0149-3",
        ),
        parameters=(
            start_parameter(),
            Float(
                "seconds",
                60.0,
                "Seconds",
                "Longest time, shared by all strata. Iterated search gets a tenth "
                "of this time, at most a minute; the bound and the choice of "
                "groups get the rest.",
                low=0.01,
                high=86_400.0,
            ),
            Float(
                "gap",
                0.5,
                "Optimality gap",
                "The search ends as soon as the optimality gap is at most this "
                "number, in per cent of the loss.",
                low=0.0,
                high=100.0,
            ),
            Int(
                "iterations",
                0,
                "Steps",
                "Number of steps of iterated search, instead of a time. Every "
                "later stage has at most this number of turns. The same number "
                "gives the same groups again. With 0, the seconds decide.",
                low=0,
                high=10**9,
            ),
            Int(
                "turns",
                0,
                "Turns",
                "Number of turns after the steps, instead of a time. A run with a "
                "time limit reports its steps and turns. With both numbers, a new "
                "run forms the same groups. 0 means as many turns as steps, in "
                "every stage.",
                low=0,
                high=10**9,
            ),
        ),
        traits=Traits(
            cost=RunCost("n^2 p", 10, records=2, coordinates=1),
            uses_seed=True,
            max_records=MAX_BLOCKWISE_RECORDS,
            time_budget="seconds",
        ),
    )
)
class Optimal(Microaggregator):
    """Column generation and integer programming, from iterated search's groups.

    Parameters
    ----------
    k : int
        Minimum group size.
    start : str
        Identifier of the method that makes the first groups.
    seconds : float
        Time to take at most, unless `iterations` is given.
    gap : float
        Per cent of the SSE that may stay unproven.
    iterations : int
        Steps, rounds and nodes at most; 0 means as many as the seconds allow.
    turns : int
        Steps of the bound, dives and integer programmes that come to their ends, and
        groups that the latter find on the way; with `iterations` only.
    seed : int
        Seed of the random numbers.

    Attributes
    ----------
    n_iter_, n_turns_ : int
        Steps and turns taken: as `iterations` and `turns` they repeat a run that went
        by the clock.
    n_groups_, n_nodes_ : int
        Groups that were made or listed, and nodes of integer programmes.
    bound_ : LowerBound
        No partition into groups of at least k has a smaller SSE.

    Notes
    -----
    The source solves the linear programme; cuts, dives and the integer programme are
    Coterie's own.
    """

    start: str
    seconds: float
    gap: float
    iterations: int
    turns: int

    def check_size(self, n_records: int, n_attributes: int) -> None:
        """Raise what :meth:`partition` would raise for a table of this size."""
        if n_records > MAX_BLOCKWISE_RECORDS:
            raise InfeasibleError(
                "optimal takes at most {most_records:,} records, but there are "
                "{n_records:,}: choose the method iterated, or a column of strata to "
                "group within.",
                most_records=MAX_BLOCKWISE_RECORDS,
                n_records=n_records,
            )
        super().check_size(n_records, n_attributes)

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        if k > MAX_ITERATED_K:
            raise InfeasibleError(
                "optimal takes k up to {largest_k}, but k is {k}: choose a smaller k "
                "or the method refined.",
                largest_k=MAX_ITERATED_K,
                k=k,
            )
        began, steps = time.monotonic(), self.iterations
        if steps == 0:
            ctx = _by_the_clock(ctx, self.seconds)
        seed = int(rng.integers(2**64, dtype=np.uint64))
        first = start_groups(
            self.start, points, k, self.seed, ctx.subcontext(0.0, 0.05)
        )
        remaining_seconds = min(
            ITERATED_TIME_SHARE * self.seconds, MAX_ITERATED_SECONDS
        ) - (time.monotonic() - began)
        search_result = anneal_groups(
            points.X,
            first,
            k,
            seed,
            steps,
            remaining_seconds,
            ctx.subcontext(0.05, 0.15),
        )
        self.n_iter_, self.n_turns_ = search_result.iterations, 1
        records = CentredRecords.from_array(points.X)
        if records.sst == 0.0:
            self.bound_ = records.lower_bound(COLUMN_GENERATION_KIND, 0.0)
            return search_result.labels
        if records.n > MAX_LB2_RECORDS:
            # Nothing here looks at groups of so many records but the bound.
            self.n_turns_, rest = 0, math.inf
            if steps == 0:
                rest = self.seconds - (time.monotonic() - began)
            self.bound_ = blockwise_bound(points.X, k, ctx.subcontext(0.2, 1.0), rest)
            return search_result.labels
        turns = TurnCounter(self.turns)
        search = start_column_generation(
            records, k, turns.counting_context(ctx).subcontext(0.15, 0.2)
        )
        nodes = MAX_SOLVER_LIMIT if self.turns else steps or MAX_SOLVER_LIMIT
        proof = OptimalityProof(
            search, search_result.labels, self.gap / 100.0, nodes, turns, ctx
        )
        proof.run_search()
        if ctx.enough():
            self.n_turns_ = turns.done
        elif steps == 0 or self.turns:
            # One more, as a limit must not stop it before its end.
            self.n_turns_ = turns.done + 1
        else:
            self.n_turns_ = 0
        self.n_groups_ = max(len(search.master.groups), proof.listed)
        self.n_nodes_ = turns.nodes
        self.bound_ = search.lower_bound
        return proof.labels


def _by_the_clock(ctx: RunContext, seconds: float) -> RunContext:
    """Return a context whose progress is the time, and which ends with it."""
    began = time.monotonic()

    def passed() -> float:
        return (time.monotonic() - began) / seconds

    def report(_: float, stage: str) -> None:
        ctx.tick(min(passed(), 1.0), 1.0, stage)

    def enough() -> bool:
        return passed() >= 1.0 or ctx.enough()

    return RunContext(report, enough=enough, hear=ctx.note)
