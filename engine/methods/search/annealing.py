"""Simulated annealing: ruin a few neighbouring groups, and rebuild them."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.core.parallel import max_run_threads
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.kernels.records.coded_records import SearchRecords
from engine.kernels.records.random_stream import draw_positive_uniform
from engine.kernels.search.iterated import ruin_and_rebuild_groups
from engine.kernels.search.regions import (
    Regions,
    allocate_regions,
    divide_into_regions,
    sum_group_sse,
)
from engine.kernels.search.regroup import (
    GroupState,
    UnionScratch,
    compute_group_state,
    make_group_state,
    make_union_scratch,
)
from engine.methods.search.better_parts import combine_better_parts
from engine.methods.search.refined import (
    arrange_view,
    min_improvement,
    refine_labels,
    to_search_records,
)
from engine.neighbours.neighbour_lists import nearest_neighbours

N_NEAR_RECORDS = 6
"""Nearest records by which a record knows the groups around it."""

MAX_RUINED_GROUPS = 4
"""Groups that are ruined together at most."""

HOTTEST, COLDEST = 2.5, (0.01, 0.1)
"""Temperatures between which a region cools, in shares of the mean d2 that its records
have from their centroids. How cold it gets is drawn: records that lie evenly need more
warmth at the end than those of which few lie far out."""

WARMING, ROUNDS = 0.1, 6
"""Hottest temperature of the first round, and rounds until it is that of regions: each
is twice as hot."""

MIN_REGION_GROUPS = 45
"""Groups in a region at least. A smaller one leaves its groups too few ways, a larger
one seldom gets better as a whole; every other sweep has regions twice as large."""

N_PARALLEL_REGIONS = 8
"""Regions that are searched side by side. They are as many whatever the number of
cores, so that this changes nothing."""

STEPS_PER_GROUP, MAX_SQ_K_STEPS = 50, 6_400
"""Steps of the first sweep for each group; fewer where k^2 times as many are more."""

SWEEP_GROWTH = 1.01
"""Factor by which steps for each group grow from sweep to sweep."""

IDLE_STEPS_FACTOR = 256
"""The search ends after so many times the steps of its last improvement."""

SEARCH_STAGE = Message("Searching")


@dataclass(frozen=True)
class SearchResult:
    """Best groups of a search, their SSE, iterations and trace.

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


def anneal_groups(
    records: SearchRecords | Values,
    labels: Labels,
    k: int,
    seed: int,
    iterations: int = 0,
    seconds: float = np.inf,
    ctx: RunContext = SILENT,
) -> SearchResult:
    """Return the best groups found by simulated annealing, from given groups.

    The groups are refined first, then changed by steps of
    :func:`engine.kernels.search.iterated.ruin_and_rebuild_groups`. First come rounds in
    which all groups cool at once, each twice as long and up to twice as hot as the one
    before. Then come sweeps, each a little longer than the one before. A sweep divides
    the groups into regions of neighbours that cool each on its own. Of each region, the
    parts that both its old and its new groups divide get their old ones back where
    these are no worse: what is gained in one place is never lost by bad luck in
    another. The schedule depends on the number of steps alone; the clock only says when
    to stop. Regions are drawn anew again and again, and up to
    :data:`N_PARALLEL_REGIONS` searched side by side.

    Annealing in parallel is surveyed by Greening DR (1990), Physica D 42(1-3),
    293-306, doi:10.1016/0167-2789(90)90084-3.

    Parameters
    ----------
    records : SearchRecords or ndarray of float64, shape (n_records, n_attributes)
        Coordinates C-contiguous and finite.
    labels : ndarray of int64, shape (n_records,)
        Dense, every group of at least k.
    seed : int
        Seed of the random numbers, below 2**64.
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
    view = to_search_records(records)
    refined = refine_labels(view, labels, k, ctx.subcontext(0.0, 0.05))
    order, view = arrange_view(view)
    near = nearest_neighbours(
        view.sketch,
        N_NEAR_RECORDS,
        coded_records=view.seen,
        n_category_columns=view.places,
    )
    groups = make_group_state(view.coded, near, refined[order], k)

    def elapsed() -> float:
        return time.perf_counter() - started

    count = max(1, groups.size.shape[0] // MIN_REGION_GROUPS)
    with ThreadPoolExecutor(
        min(count, N_PARALLEL_REGIONS, max_run_threads())
    ) as threads:
        search = _Search(
            groups, k, seed, elapsed, ctx.subcontext(0.05, 1.0), threads, count
        )
        search.run_search(iterations, seconds)
    final_labels = np.empty_like(refined)
    final_labels[order] = groups.labels
    dense = np.unique(final_labels, return_inverse=True)[1].astype(np.int64)
    return SearchResult(dense, search.least, search.done, tuple(search.trace))


class _Region:
    """A region that is searched: where it stands, and how it was before."""

    def __init__(
        self, groups: GroupState, regions: Regions, r: int, steps: int
    ) -> None:
        self._of, self._records = regions.of, _region_records(regions, r)
        self._state = regions.states[r : r + 1]
        self._groups = groups._replace(unused=regions.unused[r])
        self._before = groups.labels[self._records]
        self._sse_before = groups.sse[self._before]
        own_groups, spare = np.unique(self._before), int(regions.unused[r, -1])
        self._numbers = np.concatenate([own_groups, regions.unused[r, :spare]])
        sse = float(groups.sse[own_groups].sum())
        min_factor, max_factor = COLDEST
        cold = min_factor * (max_factor / min_factor) ** draw_positive_uniform(
            self._state
        )
        self._temperature = HOTTEST * sse / self._records.size
        self._cooling = (cold / HOTTEST) ** (1.0 / max(steps, 1))
        self.left = steps

    def take_steps(
        self,
        steps: int,
        union: UnionScratch,
        k: int,
        max_groups: int,
        min_improvement: float,
    ) -> None:
        """Take some of the steps that are left."""
        steps = min(steps, self.left)
        ruin_and_rebuild_groups(
            self._groups,
            union,
            self._of,
            self._records,
            k,
            max_groups,
            self._temperature,
            self._cooling,
            min_improvement,
            self._state,
            steps,
        )
        self._temperature *= self._cooling**steps
        self.left -= steps

    def keep_better_regions(self, min_improvement: float) -> float:
        """Undo what got no better, part by part; return the change of SSE.

        As after `restore_labels`, what follows from the labels is left to
        `compute_group_state`.
        """
        after = self._groups.labels[self._records]
        labels, change = combine_better_parts(
            self._before,
            self._sse_before,
            after,
            self._groups.sse[after],
            min_improvement,
        )
        self._groups.labels[self._records] = self._numbers[labels]
        return change

    def restore_labels(self) -> None:
        """Give the records their labels again; `compute_group_state` does the rest."""
        self._groups.labels[self._records] = self._before


def _region_records(regions: Regions, r: int) -> Integers:
    return regions.records[regions.starts[r] : regions.starts[r + 1]]


class _Search:
    """The sweeps of one search, the groups and the curve that led to them."""

    def __init__(
        self,
        groups: GroupState,
        k: int,
        seed: int,
        elapsed: Callable[[], float],
        ctx: RunContext,
        threads: Executor,
        count: int,
    ) -> None:
        n = groups.X.shape[0]
        self._threads = threads
        self._regions = [allocate_regions(groups, max(1, count // m)) for m in (1, 2)]
        self._large = allocate_regions(groups, min(count, N_PARALLEL_REGIONS))
        self._groups, self._k = groups, k
        self._elapsed, self._ctx = elapsed, ctx
        self._most = max(2, min(MAX_RUINED_GROUPS, 512 // (2 * k - 1)))
        beside = min(count, N_PARALLEL_REGIONS)
        self._unions = [
            make_union_scratch(groups, k, self._most) for _ in range(beside)
        ]
        self._state = np.array([seed], dtype=np.uint64)
        self.least = float(groups.sse.sum())
        self._noise = min_improvement(groups.X, self.least, groups)
        # Steps at once, of all regions: some milliseconds.
        self._stretch = max(16, min(8 * n, 64_000 // k**2), n // (8 * k))
        self.done = 0
        self.trace: list[tuple[float, int, float]] = []
        self._note()

    def run_search(self, iterations: int, seconds: float) -> None:
        """Take rounds, then sweeps, until the steps or seconds are used up."""
        groups, turn = self._groups, 0
        steps = min(STEPS_PER_GROUP, MAX_SQ_K_STEPS / self._k**2) * groups.size.shape[0]
        last = steps
        while self.least > self._noise and self.done < IDLE_STEPS_FACTOR * last:
            before = self.least
            if turn < ROUNDS:
                going = self._round(turn, iterations, seconds)
            else:
                regions = self._regions[turn % 2]
                going = self._sweep(regions, steps, iterations, seconds)
                steps *= SWEEP_GROWTH
            compute_group_state(groups)
            if not going:
                return
            if self.least < before:
                last = max(last, float(self.done))
            turn += 1

    def _round(self, turn: int, iterations: int, seconds: float) -> bool:
        """Cool all groups at once; return False when time is up."""
        groups, best = self._groups, self._groups.labels.copy()
        stretches = -(-groups.labels.size // self._stretch) * 2**turn
        hot = min(HOTTEST, WARMING * 2**turn)
        cooled = (COLDEST[0] / hot) ** (1.0 / stretches)
        temperature = hot * self.least / groups.labels.size
        going = True
        for _ in range(stretches):
            going = not self._up(0, iterations, seconds)
            if not going:
                break
            steps = self._stretch
            if iterations:
                steps = min(steps, iterations - self.done)
            sse = self._stretch_of(steps, temperature)
            temperature *= cooled
            self.done += steps
            if sse < self.least - self._noise:
                self.least = sse
                best[:] = groups.labels
                self._note()
        groups.labels[:] = best
        return going

    def _stretch_of(self, steps: int, temperature: float) -> float:
        """Take steps at one temperature, in a few large regions; return the SSE."""
        groups, regions, count = self._groups, self._large, len(self._unions)
        divide_into_regions(groups, regions, self._k, self._state)

        def search(r: int) -> None:
            ruin_and_rebuild_groups(
                groups._replace(unused=regions.unused[r]),
                self._unions[r],
                regions.of,
                _region_records(regions, r),
                self._k,
                self._most,
                temperature,
                1.0,
                self._noise,
                regions.states[r : r + 1],
                steps * (r + 1) // count - steps * r // count,
            )

        list(self._threads.map(search, range(count)))
        return sum_group_sse(groups)

    def _sweep(
        self, regions: Regions, steps: float, iterations: int, seconds: float
    ) -> bool:
        """Search every region once; return False when time is up."""
        divide_into_regions(self._groups, regions, self._k, self._state)
        count = regions.states.size
        region_steps = max(1, int(steps / count))
        beside = max(len(self._unions), self._stretch // region_steps)
        for first in range(0, count, beside):
            n_remaining_steps = (
                iterations - self.done if iterations else region_steps * count
            )
            some = []
            for r in range(first, min(first + beside, count)):
                some.append(
                    _Region(
                        self._groups, regions, r, min(region_steps, n_remaining_steps)
                    )
                )
                n_remaining_steps -= some[-1].left
            if not self._search(some, iterations, seconds):
                return False
        return not self._up(0, iterations, seconds)

    def _search(self, regions: list[_Region], iterations: int, seconds: float) -> bool:
        """Search some regions to their ends; return False when time is up before."""
        width, under_way = len(self._unions), 0
        steps = sum(region.left for region in regions)

        def advance(worker: int) -> None:
            for region in regions[worker::width]:
                region.take_steps(
                    max(1, self._stretch // len(regions)),
                    self._unions[worker],
                    self._k,
                    self._most,
                    self._noise,
                )

        while under_way < steps:
            if self._up(under_way, iterations, seconds):
                for region in regions:
                    region.restore_labels()
                return False
            list(self._threads.map(advance, range(width)))
            under_way = steps - sum(region.left for region in regions)
        self.done += steps
        change = sum(region.keep_better_regions(self._noise) for region in regions)
        if change < 0.0:
            self.least += change
            self._note()
        return True

    def _up(self, under_way: int, iterations: int, seconds: float) -> bool:
        """Report progress and return whether the search is over."""
        if iterations:
            self._ctx.tick(self.done + under_way, iterations, SEARCH_STAGE)
            return self.done >= iterations or self._ctx.enough()
        passed = self._elapsed()
        self._ctx.tick(min(passed, seconds), seconds, SEARCH_STAGE)
        # Never without a step: 0 as the number of steps means the clock.
        return self.done > 0 and (passed >= seconds or self._ctx.enough())

    def _note(self) -> None:
        self.trace.append((self._elapsed(), self.done, self.least))
        self._ctx.note("sse", self.least)
