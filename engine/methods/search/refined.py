"""Refined: local search that lowers the SSE of any method's groups."""

from __future__ import annotations

import numpy as np

from engine.core.context import SILENT, RunContext, steps_per_look
from engine.core.message import Message
from engine.core.parameters import Choice
from engine.core.partition import Labels, Partition
from engine.core.typing import Integers, Values
from engine.kernels.index.halving import kd_leaf_order
from engine.kernels.records.coded_records import SearchRecords
from engine.kernels.search.deal import regroup_neighbouring_groups
from engine.kernels.search.dissolve import dissolve_by_chains
from engine.kernels.search.exchange import exchange_within_queued_groups
from engine.kernels.search.refine import MEASURED, WAITING, make_search_state
from engine.kernels.search.regroup import (
    GroupState,
    make_group_state,
    make_union_scratch,
)
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.search.starts import (
    split_large_groups,
    start_groups,
    start_parameter,
)
from engine.neighbours.neighbour_lists import MAX_EXACT_RECORDS, nearest_neighbours
from engine.points.base import Points

N_NEAR_RECORDS = 8
"""Nearest records by which a record knows the groups around it."""

MAX_REASSIGNED_RECORDS = 50_000
"""Tables of more records are dealt anew only when asked."""

MIN_ROUND_GAIN = 0.001
"""Share of SSE that a round must gain for another one to follow."""

MAX_REASSIGNED_K = 20
"""Above this k groups are too large to be dealt anew in good time."""

REFINING_STAGE = Message("Refining")


def to_search_records(records: SearchRecords | Values) -> SearchRecords:
    """Return records as searches take them, from coordinates or as they are."""
    if isinstance(records, SearchRecords):
        return records
    return SearchRecords.from_numbers(records)


def refine_labels(
    records: SearchRecords | Values,
    labels: Labels,
    k: int,
    ctx: RunContext = SILENT,
    deal: str = "auto",
) -> Labels:
    """Return labels of groups refined by local search, with no higher SSE.

    Groups of more than 2k - 1 records are split by MDAV. Then, in rounds, groups are
    dissolved where that pays in the end, neighbouring groups move and swap records
    until nothing more is gained, and the groups around each record are dealt out
    anew. Every step that is kept lowers SSE by more than rounding could, and sizes
    stay from k to 2k - 1.

    Parameters
    ----------
    records : SearchRecords or ndarray of float64, shape (n_records, n_attributes)
        Coordinates C-contiguous and finite.
    labels : ndarray of int64, shape (n_records,)
        Dense, every group of at least k.
    deal : {"auto", "always", "never"}
        Whether groups are dealt anew, which takes twice as long; none are for k above
        :data:`MAX_REASSIGNED_K`, nor by ``"auto"`` of more than
        :data:`MAX_REASSIGNED_RECORDS` records.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Groups keep the order of the numbers that they had; new ones come last.

    Raises
    ------
    InfeasibleError
        If a group has fewer than k records.
    """
    view = to_search_records(records)
    labels = split_large_groups(view.coded, Partition(labels, k).labels, k)
    n = labels.size
    is_reassigning = deal == "always" or (
        deal == "auto" and n <= MAX_REASSIGNED_RECORDS
    )
    order, view = arrange_view(view)
    del records  # whoever keeps no copy gets the memory back
    coded, sketch = view.coded, view.sketch
    near = nearest_neighbours(
        sketch, N_NEAR_RECORDS, ctx.subcontext(0.0, 0.3), view.seen, view.places
    )
    del view, sketch
    groups = make_group_state(coded, near, labels[order], k)
    _Refinement(groups, k, ctx).run_rounds(is_reassigning and k <= MAX_REASSIGNED_K)
    refined_labels = np.empty_like(labels)
    refined_labels[order] = groups.labels
    return np.unique(refined_labels, return_inverse=True)[1].astype(np.int64)


def refine_points_labels(
    points: Points, labels: Labels, k: int, ctx: RunContext, deal: str = "auto"
) -> Labels:
    """Return labels of points refined by :func:`refine_labels`."""
    return refine_labels(points.view, labels, k, ctx, deal)


def refine_partition(
    points: Points, partition: Partition, ctx: RunContext
) -> Partition:
    """Return a method's partition refined, with groups of k to 2k - 1 records."""
    k = partition.k
    ctx.tick(0, 1, REFINING_STAGE)
    if points.n_records >= 2 * k:
        partition = Partition(refine_points_labels(points, partition.labels, k, ctx), k)
    ctx.tick(1, 1, REFINING_STAGE)
    return partition


def min_improvement(X: Values, sse: float, groups: GroupState | None = None) -> float:
    """Return the smallest change of SSE that counts: above rounding errors."""
    n, p = X.shape
    largest = max(X.max(initial=0.0), -X.min(initial=0.0)) ** 2
    if groups is not None:
        p = groups.n_terms
        largest = max(largest, float(groups.sq_len.max()))
    rounding = 16.0 * float(np.finfo(np.float64).eps) * p * largest
    return float(1e-9 * sse / n + rounding)


def arrange_view(view: SearchRecords) -> tuple[Integers, SearchRecords]:
    """Return an order and the centred records in it, near records adjacent if many.

    Returns
    -------
    order : ndarray of int64, shape (n_records,)
        The record at each place.
    centred : SearchRecords
        In that order; shifted by whole numbers, so that differences stay exact.
    """
    centred = view.centred()
    n = centred.sketch.shape[0]
    if n <= MAX_EXACT_RECORDS:
        return np.arange(n, dtype=np.int64), centred
    order = kd_leaf_order(centred.sketch, 64)
    return order, centred.select(order)


class _Refinement:
    """The steps of a round, each in pieces short enough for progress and cancel."""

    def __init__(self, groups: GroupState, k: int, ctx: RunContext) -> None:
        self._groups, self._k, self._ctx = groups, k, ctx
        self._search = make_search_state(groups, k)
        self._sse = float(groups.sse.sum())
        self._noise = min_improvement(groups.X, self._sse, groups)
        self._most = 4 if k <= 10 else 3
        self._union = make_union_scratch(
            groups, k, self._most if k <= MAX_REASSIGNED_K else 0
        )
        self._lookups = 25 * k * groups.n_terms  # a group beside its neighbours

    def run_rounds(self, deal: bool) -> None:
        """Go round by round until one gains next to nothing."""
        steps = [self._dissolve, self._exchange]
        if deal:
            steps += [self._deal, self._exchange]
        begin, end, before = 0.3, 0.7, np.inf
        while (
            self._sse > self._noise and before - self._sse > MIN_ROUND_GAIN * self._sse
        ):
            part = self._ctx.subcontext(begin, end)
            for number, step in enumerate(steps):
                step(part.subcontext(number / len(steps), (number + 1) / len(steps)))
            before, self._sse = self._sse, float(self._groups.sse.sum())
            begin, end = end, end + (1.0 - end) / 2
        self._ctx.note("distances", int(self._search.counts[MEASURED]))

    def _dissolve(self, ctx: RunContext) -> None:
        n, step = self._groups.size.size, steps_per_look(8 * self._lookups)
        for first, last in ctx.iterate_ranges(n, step, REFINING_STAGE):
            dissolve_by_chains(
                self._groups, self._search, self._k, self._noise, first, last
            )

    def _exchange(self, ctx: RunContext) -> None:
        done, piece = 0, steps_per_look(2 * self._lookups)
        while waiting := int(self._search.counts[WAITING]):
            ctx.tick(done, done + waiting, REFINING_STAGE)
            exchange_within_queued_groups(
                self._groups, self._search, self._k, self._noise, piece
            )
            done += min(piece, waiting)

    def _deal(self, ctx: RunContext) -> None:
        n, p = self._groups.labels.size, self._groups.n_terms
        step = steps_per_look((self._most * self._k) ** 2 * (p + 10))
        for first, last in ctx.iterate_ranges(n, step, REFINING_STAGE):
            regroup_neighbouring_groups(
                self._groups,
                self._search,
                self._union,
                self._k,
                self._most,
                self._noise,
                first,
                last,
            )


@methods.register(
    MethodInfo(
        id="refined",
        title="Refined",
        family="search",
        summary="Improves the groups of another method as long as the loss falls: "
        "exchanges records between groups, dissolves groups and divides groups.",
        reference=Reference(
            "Kernighan BW, Lin S (1970). An efficient heuristic procedure for "
            "partitioning graphs. Bell System Technical Journal 49(2), 291-307.",
            doi="10.1002/j.1538-7305.1970.tb01770.x",
        ),
        parameters=(
            start_parameter(),
            Choice(
                "deal",
                "auto",
                "Deal groups anew",
                "Whether the groups around each record are formed anew. The loss "
                "is then some 2 % smaller, but the run takes twice as long. auto "
                "does so up to 50,000 records.",
                options=("auto", "always", "never"),
            ),
        ),
        traits=Traits(cost=RunCost("n^2 p / k", 0.24, records=1.25, size=0.75)),
    )
)
class Refined(Microaggregator):
    """Local search from the groups of another method.

    The source has the idea of exchanges that pay only in the end; the moves here are
    Coterie's own.

    Parameters
    ----------
    k : int
        Minimum group size.
    start : str
        Identifier of the method that makes the first groups.
    deal : {"auto", "always", "never"}
        Whether groups are dealt anew; see :func:`refine_labels`.
    seed : int
        Seed of the start method's random numbers, where it draws any.
    """

    start: str
    deal: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        labels = start_groups(
            self.start, points, k, self.seed, ctx.subcontext(0.0, 0.4)
        )
        return refine_points_labels(
            points, labels, k, ctx.subcontext(0.4, 1.0), self.deal
        )
