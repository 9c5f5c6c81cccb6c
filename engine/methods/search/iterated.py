"""Iterated: ruin a few neighbouring groups, rebuild them, accept while cooling."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError
from engine.core.message import Message
from engine.core.parallel import thread_count
from engine.core.parameters import Float, Int
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.coded import View
from engine.kernels.search.iterated import ruin_and_rebuild
from engine.kernels.search.regions import divide, make_regions, total_sse
from engine.kernels.search.regroup import Groups, enter, make_groups, make_union
from engine.methods.base import (
    Cost,
    MethodInfo,
    Microaggregator,
    Reference,
    Traits,
    methods,
)
from engine.methods.search.refined import arrange, refine, rounding_noise
from engine.methods.search.starts import start_groups, start_parameter
from engine.neighbours.near import near_records
from engine.points.base import Points

NEAR = 6
"""Nearest records by which a record knows the groups around it."""

MOST = 4
"""Groups that are ruined together at most."""

LARGEST_K = 500
"""The records of two groups and all their distances must fit into memory."""

HOTTEST, COLDEST = 2.5, 0.01
"""Temperatures between which a full round cools, in shares of the mean d2 that a
record has from its centroid in the first groups."""

WARMING = 0.1
"""Where the first, short round begins; each later one begins twice as hot."""

IDLE = 8
"""The search ends when so many rounds, 255 of 256 steps, have found nothing better."""

REGIONS, FEWEST = 8, 24
"""Regions that are searched side by side at most, and groups in each at least. They
are as many whatever the number of cores, so that this changes nothing."""

STAGE = Message("Searching")


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        The best groups; all have k to 2k - 1 records.
    sse : float
        Their SSE.
    iterations : int
        Steps taken: as many from the same groups with the same seed end in the same
        groups again.
    trace : tuple of (float, int, float)
        Seconds, steps and least SSE, whenever that fell.
    """

    labels: Labels
    sse: float
    iterations: int
    trace: tuple[tuple[float, int, float], ...]


def iterate(
    records: View | Values,
    labels: Labels,
    k: int,
    seed: int,
    iterations: int = 0,
    seconds: float = np.inf,
    ctx: RunContext = SILENT,
) -> Found:
    """Search for the groups with the least SSE, from any groups.

    The groups are refined first. Then steps follow each other as described in
    :func:`engine.kernels.search.iterated.ruin_and_rebuild`, in rounds, each twice as
    long as the one before. A round begins with the best groups found and cools from a
    temperature that lets it leave them to one where only what lowers SSE is accepted.
    The schedule depends on the number of steps alone, never on the clock: the clock
    only says when to stop.

    Every few thousand steps the groups are divided into regions of neighbours, drawn
    anew, and each region is searched on its own, on as many cores as there are:
    annealing in parallel as surveyed by Greening DR (1990), Physica D 42(1-3),
    293-306, doi:10.1016/0167-2789(90)90084-3.

    Parameters
    ----------
    records : View or ndarray of float64, shape (n_records, n_attributes)
        Coordinates C-contiguous and finite.
    labels : ndarray of int64, shape (n_records,)
        Dense, every group of at least k.
    k : int
    seed : int
        Of the random numbers, below 2**64.
    iterations : int
        Steps to take; 0 means as many as the seconds allow.
    seconds : float
        Time to search, if the number of steps is not given.
    ctx : RunContext
        Told about progress and about each lower SSE, as the figure ``"sse"``; may end
        the search with what it has (``enough``).

    Raises
    ------
    InfeasibleError
        If a group has fewer than k records.
    """
    started = time.perf_counter()
    view = records if isinstance(records, View) else View.of_numbers(records)
    refined = refine(view, labels, k, ctx.part(0.0, 0.05))
    order, view = arrange(view)
    near = near_records(view.sketch, NEAR, records=view.seen, places=view.places)
    groups = make_groups(view.coded, near, refined[order], k)

    def elapsed() -> float:
        return time.perf_counter() - started

    count = max(1, min(REGIONS, groups.size.shape[0] // FEWEST))
    with ThreadPoolExecutor(min(count, thread_count())) as threads:
        search = _Search(groups, k, seed, elapsed, ctx.part(0.05, 1.0), threads, count)
        search.run(iterations, seconds)
    found = np.empty_like(refined)
    found[order] = search.best
    dense = np.unique(found, return_inverse=True)[1].astype(np.int64)
    return Found(dense, search.least, search.done, tuple(search.trace))


class _Search:
    """The rounds of one search, its best groups and the curve that led to them."""

    def __init__(
        self,
        groups: Groups,
        k: int,
        seed: int,
        elapsed: Callable[[], float],
        ctx: RunContext,
        threads: Executor,
        count: int,
    ) -> None:
        n = groups.X.shape[0]
        self._threads = threads
        self._regions = make_regions(groups, count)
        self._groups, self._k = groups, k
        self._elapsed, self._ctx = elapsed, ctx
        self._most = max(2, min(MOST, 512 // (2 * k - 1)))
        self._unions = [make_union(groups, k, self._most) for _ in range(count)]
        self._state = np.array([seed], dtype=np.uint64)
        self.best: Labels = groups.labels.copy()
        self.least = float(groups.sse.sum())
        self._noise = rounding_noise(groups.X, self.least, groups)
        self._unit = self.least / n
        # Steps at one temperature: some milliseconds, longer than a copy of the labels.
        self._stretch = max(16, min(8 * n, 64_000 // k**2), n // (8 * k))
        self._first = -(-n // self._stretch)
        self.done = 0
        self.trace: list[tuple[float, int, float]] = []
        self._note()

    def run(self, iterations: int, seconds: float) -> None:
        """Go from round to round until the steps or seconds are used up."""
        turn = idle = 0
        while self.least > self._noise and idle < IDLE:
            before = self.least
            if not self._round(turn, iterations, seconds):
                return
            idle = 0 if self.least < before else idle + 1
            turn += 1

    def _round(self, turn: int, iterations: int, seconds: float) -> bool:
        """Cool once from the best groups; return False when time is up."""
        self._groups.labels[:] = self.best
        enter(self._groups)
        stretches = self._first * 2**turn
        hot = min(HOTTEST, WARMING * 2**turn)
        for stretch in range(stretches):
            if self._up(iterations, seconds):
                return False
            cooled = (stretch + 0.5) / stretches
            steps = self._stretch
            if iterations:
                steps = min(steps, iterations - self.done)
            sse = self._take(steps, self._unit * hot * (COLDEST / hot) ** cooled)
            self.done += steps
            if sse < self.least - self._noise:
                self.least = sse
                self.best[:] = self._groups.labels
                self._note()
        return True

    def _take(self, steps: int, temperature: float) -> float:
        """Take steps in all regions, and return the SSE of all groups."""
        groups, regions = self._groups, self._regions
        divide(groups, regions, self._k, self._state)
        count = len(self._unions)

        def search(r: int) -> None:
            ruin_and_rebuild(
                groups._replace(unused=regions.unused[r]),
                self._unions[r],
                regions.of,
                regions.records[regions.starts[r] : regions.starts[r + 1]],
                self._k,
                self._most,
                temperature,
                self._noise,
                regions.states[r : r + 1],
                steps * (r + 1) // count - steps * r // count,
            )

        list(self._threads.map(search, range(count)))
        return total_sse(groups)

    def _up(self, iterations: int, seconds: float) -> bool:
        """Report progress and return whether the search is over."""
        if iterations:
            self._ctx.tick(self.done, iterations, STAGE)
            return self.done >= iterations or self._ctx.enough()
        passed = self._elapsed()
        self._ctx.tick(min(passed, seconds), seconds, STAGE)
        # Never without a step: 0 as the number of steps means the clock.
        return self.done > 0 and (passed >= seconds or self._ctx.enough())

    def _note(self) -> None:
        self.trace.append((self._elapsed(), self.done, self.least))
        self._ctx.note("sse", self.least)


@methods.register(
    MethodInfo(
        id="iterated",
        title="Iterated search",
        family="search",
        summary="Takes a few neighbouring groups apart, again and again, and keeps "
        "what lowers the loss: within a per cent of the best possible in seconds.",
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
                "Time to search, shared by all strata; more of it lowers the loss, "
                "ever more slowly. The outcome says how many steps were taken, to "
                "repeat it exactly.",
                low=0.01,
                high=86_400.0,
            ),
            Int(
                "iterations",
                0,
                "Steps",
                "Steps to take instead of a time: the same number gives the same "
                "groups again on any day; 0 goes by the seconds.",
                low=0,
                high=10**12,
            ),
        ),
        traits=Traits(
            cost=Cost("n^2 p / k", 0.24, records=1.25, size=0.75),
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

    def __init__(
        self,
        k: int = 3,
        *,
        start: str = "mdav",
        seconds: float = 10.0,
        iterations: int = 0,
        seed: int = 0,
    ) -> None:
        super().__init__(k, seed=seed)
        self.start = start
        self.seconds = seconds
        self.iterations = iterations

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        if k > LARGEST_K:
            raise InfeasibleError(
                "iterated takes k up to {largest_k}, but k is {k}: choose a smaller k "
                "or the method refined.",
                largest_k=LARGEST_K,
                k=k,
            )
        started = time.perf_counter()
        seed = int(rng.integers(2**64, dtype=np.uint64))
        first = start_groups(self.start, points, k, self.seed, ctx.part(0.0, 0.05))
        left = self.seconds - (time.perf_counter() - started)
        found = iterate(
            points.view, first, k, seed, self.iterations, left, ctx.part(0.05, 1.0)
        )
        self.n_iter_, self.trace_ = found.iterations, found.trace
        return found.labels
