"""Iterated: simulated annealing by ruin and rebuild, from another method's groups."""

from __future__ import annotations

import time

import numpy as np

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
from engine.methods.search.starts import start_groups, start_parameter
from engine.points.base import Points

MAX_ITERATED_K = 500
"""The records of two groups and all their distances must fit into memory."""


@methods.register(
    MethodInfo(
        id="iterated",
        title="Iterated search",
        family="search",
        summary="Forms a few neighbouring groups anew, again and again, and keeps "
        "changes that lower the loss, until the time is over. The lower bound shows "
        "how far the loss can be above the smallest possible loss.",
        reference=Reference(
            "Schrimpf G, Schneider J, Stamm-Wilbrandt H, Dueck G (2000). Record "
            "breaking optimization results using the ruin and recreate principle. "
            "Journal of Computational Physics 159(2), 139-171.",
            doi="10.1006/jcph.1999.6413",
        ),
        parameters=(
            start_parameter(),
            Float(
                "seconds",
                10.0,
                "Seconds",
                "Time to search, shared by all strata. A longer search lowers the "
                "loss further, but more and more slowly. To repeat a run exactly, "
                "set iterations to the number of steps in its outcome.",
                low=0.01,
                high=86_400.0,
            ),
            Int(
                "iterations",
                0,
                "Steps",
                "Number of steps, instead of a time. The same number gives the "
                "same groups again. With 0, the seconds decide.",
                low=0,
                high=10**12,
            ),
        ),
        traits=Traits(
            cost=RunCost("n^2 p / k", 0.24, records=1.25, size=0.75),
            uses_seed=True,
            time_budget="seconds",
        ),
    )
)
class Iterated(Microaggregator):
    """Ruin and rebuild under simulated annealing, from the groups of another method.

    The source has the principle; what is ruined and how it is rebuilt are Coterie's
    own.

    Parameters
    ----------
    k : int
        Minimum group size.
    start : str
        Identifier of the method that makes the first groups.
    seconds : float
        Time to search, unless `iterations` is given. The schedule does not depend on
        the clock, so the number of steps taken tells all: with that number as
        `iterations` the same groups come out again.
    iterations : int
        Steps to take; 0 means as many as the seconds allow.
    seed : int
        Seed of the random numbers.

    Attributes
    ----------
    n_iter_ : int
        Steps taken.
    trace_ : tuple of (float, int, float)
        Seconds, steps and least SSE, whenever that fell.
    """

    start: str
    seconds: float
    iterations: int

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        if k > MAX_ITERATED_K:
            raise InfeasibleError(
                "iterated takes k up to {largest_k}, but k is {k}: choose a smaller k "
                "or the method refined.",
                largest_k=MAX_ITERATED_K,
                k=k,
            )
        started = time.perf_counter()
        seed = int(rng.integers(2**64, dtype=np.uint64))
        first = start_groups(
            self.start, points, k, self.seed, ctx.subcontext(0.0, 0.05)
        )
        remaining_seconds = self.seconds - (time.perf_counter() - started)
        search_result = anneal_groups(
            points.view,
            first,
            k,
            seed,
            self.iterations,
            remaining_seconds,
            ctx.subcontext(0.05, 1.0),
        )
        self.n_iter_, self.trace_ = search_result.iterations, search_result.trace
        return search_result.labels
