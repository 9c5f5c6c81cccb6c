"""Multivariate Hansen-Mukherjee: optimal cuts of a path through the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.numerics.statistics import mean_by_group
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.kernels.index.blocks import (
    compact_blocks,
    make_block_index,
    remove_from_blocks,
)
from engine.kernels.index.shared import RepeatedCoordinates
from engine.kernels.variable_size.path import (
    extend_nearest_neighbour_path,
    update_widest_pair,
    write_optimal_path_sse,
    write_path_labels,
)
from engine.methods.base import Reference
from engine.points.base import Points

Order = Integers

MHM_REFERENCE = Reference(
    "Domingo-Ferrer J, Martínez-Ballesté A, Mateo-Sanz JM, Sebé F (2006). Efficient "
    "multivariate data-oriented microaggregation. The VLDB Journal 15(4), 355-369.",
    doi="10.1007/s00778-006-0007-0",
)


def row_sq_dists(X: Values, points: Values) -> Values:
    """Return each row's squared distance to its point, shape (n,).

    Parameters
    ----------
    X : ndarray of float64, shape (n, n_attributes)
    points : ndarray of float64, shape (n, n_attributes) or (n_attributes,)
    """
    points = np.broadcast_to(points, X.shape)
    total = np.zeros(X.shape[0])
    for j in range(X.shape[1]):
        total += (X[:, j] - points[:, j]) ** 2
    return total


def mean_record(X: Values) -> Values:
    """Return the mean of all records, shape (n_attributes,)."""
    return mean_by_group(X, np.zeros(X.shape[0], dtype=np.int64)).reshape(-1)


def order_by_nearest(
    X: Values,
    first: int,
    ctx: RunContext,
    stage: str,
    shared: Sequence[RepeatedCoordinates] = (),
) -> Order:
    """Return the nearest-neighbour path that starts at record `first`.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous.
    first : int
        Where the path begins.
    stage : str
        What is being done, for `ctx`.
    shared : sequence of RepeatedCoordinates
        Coordinates that many records share.

    Returns
    -------
    ndarray of int64, shape (n_records,)
    """
    n = X.shape[0]
    order = np.full(n, first, dtype=np.int64)
    blocks = make_block_index(X, shared, partial(ctx.tick, 0, n, stage))
    remove_from_blocks(blocks, first)
    nearest, squared = np.empty(1, dtype=np.int64), np.empty(1)
    done = 1
    while done < n:
        if 2 * (n - done) <= blocks.count[1]:
            # Half of every block is empty.
            compact_blocks(blocks, partial(ctx.tick, done, n, stage))
        ctx.tick(done, n, stage)
        done = extend_nearest_neighbour_path(
            blocks, order, done, steps_per_look(), nearest, squared
        )
    return order


def farthest_pair_member(
    X: Values, ctx: RunContext, stage: str, shared: Sequence[RepeatedCoordinates] = ()
) -> int:
    """Return the lower-numbered of the two records farthest apart.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous.
    shared : sequence of RepeatedCoordinates
    """
    n, done = X.shape[0], 0
    blocks = make_block_index(X, shared, partial(ctx.tick, 0, n, stage))
    widest = np.array([0.0, -1.0])
    while done < n:
        ctx.tick(done, n, stage)
        done = update_widest_pair(blocks, done, steps_per_look(), widest)
    return int(widest[0])


def order_by_groups(X: Values, labels: Labels, ctx: RunContext, stage: str) -> Order:
    """Return a path through the records, group by group of a partition.

    It begins in the group whose centroid is farthest from the mean and goes to the
    group with the nearest centroid, always. Inside a group records come by falling
    distance from the next group's centroid; in the last group, by rising distance
    from the one before.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)

    Returns
    -------
    ndarray of int64, shape (n_records,)
    """
    middles = mean_by_group(X, labels)
    outermost = int(row_sq_dists(middles, mean_record(X)).argmax())
    chain = order_by_nearest(middles, outermost, ctx, stage)
    place = np.empty_like(chain)
    place[chain] = np.arange(chain.size)
    following = np.append(chain[1:], chain[-2:-1] if chain.size > 1 else chain)
    rank = place[labels]
    distance = row_sq_dists(X, middles[following[rank]])
    key = np.where(rank < chain.size - 1, -distance, distance)
    return np.lexsort((key, rank)).astype(np.int64)


def optimal_cut(
    X: Values, order: Order, k: int, ctx: RunContext, stage: str
) -> tuple[Labels, float]:
    """Return the labels of a path's optimal cut into runs of k to 2k-1, and its SSE.

    Groups are numbered along the path; of equally good cuts the one whose last runs
    are shortest.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        What the SSE is measured on.
    order : ndarray of int64, shape (n_records,)

    References
    ----------
    Hansen & Mukherjee (2003), https://doi.org/10.1109/TKDE.2003.1209020
    """
    n, p = X.shape
    best, run = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    step = steps_per_look(8 * k * p)
    room = np.empty(p)
    for before, last in ctx.iterate_ranges(n, step, stage):
        write_optimal_path_sse(X, order, k, before + 1, last + 1, best, run, room)
    labels = np.empty(n, dtype=np.int64)
    write_path_labels(order, run, labels)
    return labels, float(best[n])


def cut_by_score(score: Values, k: int, ctx: RunContext, stage: str) -> Labels:
    """Return the labels of optimal runs of the records sorted by a score.

    Parameters
    ----------
    score : ndarray of float64, shape (n_records,)
        Equal scores come by record number.
    """
    order = np.argsort(score, kind="stable").astype(np.int64)
    ctx.tick(1, 3, stage)
    column = np.ascontiguousarray(score[:, np.newaxis])
    column.flags.writeable = False  # one array type, so kernels compile once
    return optimal_cut(column, order, k, ctx.subcontext(1 / 3, 1.0), stage)[0]


@dataclass(frozen=True)
class CutPathStage:
    """Second stage: the path through the groups, cut optimally."""

    def __call__(
        self, points: Points, labels: Labels, k: int, ctx: RunContext, stage: str
    ) -> Labels:
        """Return the runs of the best cut, numbered along the path."""
        order = order_by_groups(points.X, labels, ctx.subcontext(0.0, 0.75), stage)
        return optimal_cut(points.X, order, k, ctx.subcontext(0.75, 1.0), stage)[0]
