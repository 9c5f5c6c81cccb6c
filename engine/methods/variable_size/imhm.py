"""IMHM: records given to centres by a linear programme, refined by cuts of a path."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.numerics.statistics import mean_by_group
from engine.core.parameters import Int
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.fixed_size.dbfs import join_in_turn
from engine.methods.steps.path import Order, mean_record, optimal_cut, row_sq_dists
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points

MAX_ROUNDS = 100
"""Rounds of linear programmes, and cuts of one refinement, after which it ends."""

MIN_CHANGE = 1e-9
"""Share of the total sum of squares by which a round must lower the SSE."""


IMHM_REFERENCE = Reference(
    "Mortazavi R, Jalili S, Gohargazi H (2013). Multivariate microaggregation "
    "by iterative optimization. Applied Intelligence 39(3), 529-544.",
    doi="10.1007/s10489-013-0431-y",
)

BLOCK_RECORDS = Int(
    "block_records",
    1100,
    "Records of a block",
    "A larger file is divided into blocks of about so many records, whole groups by "
    "their distance from the outermost.",
    low=100,
    high=2500,
)


@methods.register(
    MethodInfo(
        id="imhm",
        title="IMHM",
        family="variable-size",
        summary="Gives the records to the centres of MDAV's groups at the least total "
        "distance, k to 2k-1 to each, in rounds. Then cuts a path through the groups, "
        "and so on until neither helps.",
        reference=IMHM_REFERENCE,
        parameters=(BLOCK_RECORDS,),
        traits=Traits(
            cost=RunCost(
                "n^3 p / k", 0.09, records=2.1, attributes=0.0, coordinates=1.1
            ),
            max_records=5_000,
            separates=False,
        ),
    )
)
class IMHM(Microaggregator):
    """Iterative optimisation with multivariate Hansen-Mukherjee.

    Parameters
    ----------
    k : int
        Minimum group size.
    block_records : int
    seed : int
        Not used.

    Notes
    -----
    The source solves the linear programme by the simplex method. Its solutions are
    whole numbers, so it is solved as an assignment of records to places, in SciPy.
    The last records of MDAV join one after the other, each the centroid nearest then:
    so MDAV loses what the source prints of it. The source does not say where blocks
    end: here they have as equal numbers of groups as possible.
    """

    block_records: int

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, stage = points.X, self.info.title
        remaining = RemainingRecords(points, k, ctx.subcontext(0.0, 0.1), stage)
        remaining.form_pairs(while_at_least=2 * k)
        if remaining.n_remaining >= k:
            remaining.form_rest()
        else:
            join_in_turn(X, remaining.labels)
        return optimise_in_blocks(
            X, remaining.labels, k, self.block_records, ctx.subcontext(0.1, 1.0), stage
        )


def optimise_in_blocks(
    X: Values, first: Labels, k: int, block_records: int, ctx: RunContext, stage: str
) -> Labels:
    """Return what :func:`optimise` makes of first groups, block by block.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    first : ndarray of int64, shape (n_records,)
        First groups, of at least k records each.
    block_records : int
        About how many records a block has.
    """
    min_change = MIN_CHANGE * float(row_sq_dists(X, mean_record(X)).sum())
    blocks = _divide(X, first, block_records)
    labels, count = np.empty_like(first), 0
    for place, records in enumerate(blocks):
        share = ctx.subcontext(place / len(blocks), (place + 1) / len(blocks))
        before = np.unique(first[records], return_inverse=True)[1]
        part = np.ascontiguousarray(X[records])
        inside = optimise(part, before, k, min_change, share, stage)
        labels[records] = count + inside
        count += int(inside.max()) + 1
    return labels


def _divide(X: Values, labels: Labels, block_records: int) -> list[Labels]:
    """Return the records of each block, whole groups by distance from the outermost."""
    middles = mean_by_group(X, labels)
    outermost = middles[row_sq_dists(middles, mean_record(middles)).argmax()]
    chain = np.argsort(row_sq_dists(middles, outermost), kind="stable")
    count = min(len(middles), -(-len(X) // block_records))
    return [
        np.flatnonzero(np.isin(labels, groups))
        for groups in np.array_split(chain, count)
    ]


def optimise(
    X: Values, labels: Labels, k: int, min_change: float, ctx: RunContext, stage: str
) -> Labels:
    """Return groups of k to 2k-1 records, those of the lowest SSE of all rounds.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)
        First groups, of at least k records each.
    min_change : float
        What lowers the SSE by less does not count.
    """
    middles, best, lowest = mean_by_group(X, labels), labels, np.inf
    for number in range(1, MAX_ROUNDS + 1):
        labels = assign_within_sizes(distances_to(X, middles), k)
        middles, sse = _describe(X, labels)
        ctx.tick(number, number + 8, stage)
        if not sse < lowest - min_change:
            labels, middles, sse = _refine(X, labels, k, min_change)
        if not sse < lowest - min_change:
            return best
        best, lowest = labels, sse
    return best


def _refine(
    X: Values, labels: Labels, k: int, min_change: float
) -> tuple[Labels, Values, float]:
    """Cut paths through the groups while that lowers the SSE; return what it gives."""
    middles, sse = _describe(X, labels)
    for _ in range(MAX_ROUNDS):
        order = order_through_groups(X, labels, distances_to(X, middles))
        cut, lower = optimal_cut(X, order, k, RunContext(), "")
        changes = lower < sse - min_change
        labels, (middles, sse) = cut, _describe(X, cut)
        if not changes:
            break
    return labels, middles, sse


def _describe(X: Values, labels: Labels) -> tuple[Values, float]:
    """Return the centroids of the groups, and their SSE."""
    middles = mean_by_group(X, labels)
    return middles, float(row_sq_dists(X, middles[labels]).sum())


def distances_to(X: Values, middles: Values) -> Values:
    """Return each record's distance from each centre, shape (n_records, n_centres)."""
    return np.sqrt(np.stack([row_sq_dists(X, middle) for middle in middles], axis=1))


def assign_within_sizes(cost: Values, k: int) -> Labels:
    """Return the centre of each record, k to 2k-1 records each, at the least cost.

    Parameters
    ----------
    cost : ndarray of float64, shape (n_records, n_centres)
    """
    from scipy.optimize import linear_sum_assignment

    n, count = cost.shape
    # Each centre has k places that must be filled, and k - 1 more. Filling one of the
    # former gains more than all distances together can cost.
    gain = 1.0 + cost.max() * n
    table = np.hstack(
        [np.repeat(cost - gain, k, axis=1), np.repeat(cost, k - 1, axis=1)]
    )
    owner = np.append(
        np.repeat(np.arange(count), k), np.repeat(np.arange(count), k - 1)
    )
    return owner[linear_sum_assignment(table)[1]]


def order_through_groups(X: Values, labels: Labels, distances: Values) -> Order:
    """Return a path through the records, group by group.

    It begins in the group of the record farthest from the mean. The next group is the
    one whose centroid is nearest to any record of the group before. Inside a group
    records come by falling distance from the next centroid; in the last group, by
    rising distance from the one before.

    Parameters
    ----------
    distances : ndarray of float64, shape (n_records, n_groups)
        Of the records from the centroids.
    """
    group = int(labels[row_sq_dists(X, mean_record(X)).argmax()])
    ahead = np.ones(distances.shape[1], dtype=np.bool_)
    ahead[group] = False
    before, parts = group, []
    while ahead.any():
        records, later = np.flatnonzero(labels == group), np.flatnonzero(ahead)
        following = int(later[distances[np.ix_(records, later)].min(axis=0).argmin()])
        falling = np.argsort(-distances[records, following], kind="stable")
        parts.append(records[falling])
        ahead[following] = False
        before, group = group, following
    records = np.flatnonzero(labels == group)
    parts.append(records[np.argsort(distances[records, before], kind="stable")])
    return np.concatenate(parts).astype(np.int64)
