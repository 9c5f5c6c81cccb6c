"""r-gather: groups of at least k records whose largest radius is small."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.variable_size.gather import give_each_centre_k_records
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.steps.path import row_sq_dists
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="r-gather",
        title="r-gather",
        family="variable-size",
        summary="Looks for groups whose largest radius is small: at most twice the "
        "smallest possible value. Outliers make this radius large. Groups without "
        "outliers may then have an equally large radius, and lose much.",
        reference=Reference(
            "Aggarwal G, Panigrahy R, Feder T, Thomas D, Kenthapadi K, Khuller S, "
            "Zhu A (2010). Achieving anonymity via clustering. ACM Transactions on "
            "Algorithms 6(3), article 49.",
            doi="10.1145/1798596.1798602",
        ),
        traits=Traits(
            cost=RunCost("n^2 p", 4.2, records=1.45, attributes=0.5),
            max_group_size="",
            max_records=5_000,
        ),
    )
)
class RGather(Microaggregator):
    """The 2-approximation of the smallest largest radius.

    Parameters
    ----------
    k : int
        Minimum group size, the r of the source.

    Notes
    -----
    For a guessed radius R: every record has k - 1 others within 2R; the first record
    without a centre within 2R becomes a centre, again and again; and a flow gives k
    records within 2R to each centre. All other records join their nearest centre.
    R is bisected among halves of the distances between records. Each R that is not
    below the smallest possible radius passes, so the search ends at or below that.
    The source lets centres and records be chosen at will: here by record number, and
    a centre takes its nearest records first.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, stage = points.X, self.info.title
        squared = _sq_dists_with_k_neighbours(X, k, ctx.subcontext(0.0, 0.5), stage)
        low, high = 0, squared.size - 1
        steps, done = max(1, int(squared.size).bit_length()), 0
        labels = _gather(X, k, squared[high])
        while low < high:
            middle = (low + high) // 2
            tried = _gather(X, k, squared[middle])
            if tried is None:
                low = middle + 1
            else:
                high, labels = middle, tried
            done += 1
            ctx.tick(steps + done, 2 * steps, stage)
        assert labels is not None, "one centre takes all records within the widest pair"
        return labels


def _sq_dists_with_k_neighbours(
    X: Values, k: int, ctx: RunContext, stage: str
) -> Values:
    """Return the different squared distances within which all records have k, sorted.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Records within that distance, the record itself among them.
    """
    rows, min_sq_reach = [], 0.0
    for i in range(len(X)):
        row = row_sq_dists(X, X[i])
        min_sq_reach = max(min_sq_reach, float(np.partition(row, k - 1)[k - 1]))
        rows.append(np.unique(row[i:]))
        ctx.tick(i + 1, len(X), stage)
    squared = np.concatenate(rows)
    return np.unique(squared[squared >= min_sq_reach])


def _gather(X: Values, k: int, sq_reach: float) -> Labels | None:
    """Return groups around centres that reach so far; None if a centre lacks records.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    sq_reach : float
        Squared distance from a centre to the farthest record that may join it.
    """
    nearest = np.full(len(X), np.inf)
    labels = np.zeros(len(X), dtype=np.int64)
    near: list[Labels] = []
    while (is_uncovered := nearest > sq_reach).any():
        squared = row_sq_dists(X, X[is_uncovered.argmax()])
        labels[squared < nearest] = len(near)
        np.minimum(nearest, squared, out=nearest)
        within = np.flatnonzero(squared <= sq_reach)
        near.append(within[np.argsort(squared[within], kind="stable")])
    starts = np.cumsum([0, *(records.size for records in near)], dtype=np.int64)
    centre_of = np.full(len(X), -1, dtype=np.int64)
    if not give_each_centre_k_records(starts, np.concatenate(near), k, centre_of):
        return None
    return np.where(centre_of >= 0, centre_of, labels)
