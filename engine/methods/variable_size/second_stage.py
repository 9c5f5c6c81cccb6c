"""Second stage of DBA-2, LDF-2, MDAV-2, TFRP-2: dissolve groups, split large ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.variable_size.dissolve import (
    dissolve_where_better,
    make_dissolvable_groups,
    write_sparse_group_labels,
)
from engine.methods.base import Microaggregator
from engine.methods.fixed_size.mdav1 import MDAV1
from engine.points.base import Points

Visit = Literal["last first", "widest first"]


def dissolve_and_split(
    X: Values,
    labels: Labels,
    k: int,
    ctx: RunContext,
    stage: str,
    visit: Visit,
    largest: int | None = None,
    divide: type[Microaggregator] = MDAV1,
) -> Labels:
    """Return labels after dissolving groups to lower SSE, and splitting large ones.

    Visits each group once and dissolves it, each member going to the group with the
    nearest centroid, if that lowers the total SSE. Then divides every group of more
    than 2k-1 records by a method of its own.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)
        Groups, numbered in order of creation.
    stage : str
        What progress is reported as.
    visit : {"last first", "widest first"}
        Order of the visits: the reverse of the order of creation, or by falling SSE
        as it is at the start, of equal ones the group created first.
    largest : int, optional
        No group may grow beyond this many records by dissolving another.
    divide : type of Microaggregator
        The method that divides large groups, each as if there were no other records.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Groups of k to 2k-1 records: first those that were not divided, in their old
        order, then the parts of the others.
    """
    n, p = X.shape
    groups = make_dissolvable_groups(X, labels)
    g = groups.size.size
    if visit == "last first":
        sequence = np.arange(g - 1, -1, -1, dtype=np.int64)
    else:
        sequence = np.argsort(-groups.sse, kind="stable").astype(np.int64)
    start = 0
    while start < g:
        stop = min(g, start + steps_per_look(2 * k * g * p))
        dissolve_where_better(
            groups, sequence, start, stop, n if largest is None else largest
        )
        start = stop
        ctx.tick(start, g, stage)
    tuned = np.empty(n, dtype=np.int64)
    write_sparse_group_labels(groups, tuned)
    return _split_large(X, tuned, k, divide, ctx.subcontext(1.0, 1.0))


@dataclass(frozen=True)
class DissolveStage:
    """Second stage: dissolve groups to lower SSE, then split large ones.

    Parameters
    ----------
    visit : {"last first", "widest first"}
        As in :func:`dissolve_and_split`.
    limit : int, optional
        No group may grow beyond limit * k - 1 records by dissolving another.
    divide : type of Microaggregator
        As in :func:`dissolve_and_split`.
    """

    visit: Visit
    limit: int | None = None
    divide: type[Microaggregator] = MDAV1

    def __call__(
        self, points: Points, labels: Labels, k: int, ctx: RunContext, stage: str
    ) -> Labels:
        """Return the groups of :func:`dissolve_and_split`."""
        largest = None if self.limit is None else self.limit * k - 1
        return dissolve_and_split(
            points.X, labels, k, ctx, stage, self.visit, largest, self.divide
        )


def _split_large(
    X: Values, labels: Labels, k: int, divide: type[Microaggregator], ctx: RunContext
) -> Labels:
    """Divide every group of more than 2k-1 records by a method; renumber all."""
    sizes = np.bincount(labels)
    is_undivided = (sizes > 0) & (sizes < 2 * k)
    number = np.where(is_undivided, np.cumsum(is_undivided) - 1, -1)
    result = number[labels].astype(np.int64)
    n_groups = int(is_undivided.sum())
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    for g in np.flatnonzero(sizes >= 2 * k):
        members = order[ends[g] - sizes[g] : ends[g]]
        inside = divide(k).partition(Points.from_array(X[members]), ctx)
        result[members] = n_groups + inside.labels
        n_groups += inside.n_groups
    return result
