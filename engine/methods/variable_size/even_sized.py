"""ECBO: k-means whose clusters have as equal sizes as possible."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.numerics.statistics import mean_by_group
from engine.core.parameters import Choice
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
from engine.methods.steps.path import row_sq_dists
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="even-sized",
        title="ECBO",
        family="variable-size",
        summary="Divides the records among n/k centres (rounded down), so that groups "
        "have nearly equal sizes and the total squared distance is least. Then "
        "calculates the centres again, and repeats both steps, as k-means does.",
        reference=Reference(
            "Endo Y, Hamasuna Y, Hirano T, Kinoshita N (2018). Even-sized clustering "
            "based on optimization and its variants. Journal of Advanced "
            "Computational Intelligence and Intelligent Informatics 22(1), 62-69.",
            doi="10.20965/jaciii.2018.p0062",
        ),
        parameters=(
            Choice(
                "centres",
                "far-apart",
                "First centres",
                "The records that are the first centres. random: drawn with equal "
                "chances. far-apart: drawn by squared distance from the centres drawn "
                "before (k-means++).",
                options=("far-apart", "random"),
            ),
        ),
        traits=Traits(
            cost=RunCost("n^3 p / k", 0.0015, records=3.2, attributes=0.1, size=-0.7),
            uses_seed=True,
            max_records=2_000,
            separates=False,
        ),
    )
)
class EvenSized(Microaggregator):
    """Even-sized clustering based on optimisation.

    Parameters
    ----------
    k : int
        Minimum group size.
    centres : {"far-apart", "random"}
    seed : int

    Notes
    -----
    Like k-means, but records are given to centres by a linear programme: each record
    to one centre, to each centre floor(n/c) records or one more, at the least sum of
    squared distances. The source solves it by the simplex method. Its solutions are
    whole numbers, so it is solved as an assignment of records to places, in SciPy. It
    ends when the sum of squares falls no further.
    """

    centres: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, stage = points.X, self.info.title
        n_centres = points.n_records // k
        if self.centres == "random":
            first = np.sort(rng.choice(points.n_records, n_centres, replace=False))
        else:
            first = _draw_far_apart(X, n_centres, rng)
        centres, best_sse, rounds = X[first], np.inf, 0
        labels = np.zeros(points.n_records, dtype=np.int64)
        while True:
            tried = assign_evenly(X, centres)
            centres = mean_by_group(X, tried)
            sse = float(row_sq_dists(X, centres[tried]).sum())
            rounds += 1
            ctx.tick(rounds, rounds + 8, stage)
            if not sse < best_sse:
                return labels
            labels, best_sse = tried, sse


def _draw_far_apart(X: Values, count: int, rng: np.random.Generator) -> Labels:
    """Return records drawn by squared distance from those drawn before."""
    drawn = [int(rng.integers(len(X)))]
    sq_dists = row_sq_dists(X, X[drawn[0]])
    while len(drawn) < count:
        up_to = sq_dists.cumsum()
        if up_to[-1] > 0:
            place = np.searchsorted(up_to, rng.random() * up_to[-1], side="right")
            drawn.append(min(int(place), len(X) - 1))
        else:  # every record lies where a centre is
            drawn.append(int(rng.integers(len(X))))
        np.minimum(sq_dists, row_sq_dists(X, X[drawn[-1]]), out=sq_dists)
    return np.array(drawn)


def assign_evenly(X: Values, centres: Values) -> Labels:
    """Return the centre of each record, sizes as equal as possible, at the least cost.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    centres : ndarray of float64, shape (n_centres, n_attributes)

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Every centre has floor(n_records / n_centres) records, or one more.
    """
    from scipy.optimize import linear_sum_assignment

    size, larger = divmod(len(X), len(centres))
    # Each centre has places that must be filled and, where sizes differ, one more. A
    # row that is no record takes such a place for nothing.
    owner = np.repeat(np.arange(len(centres)), size)
    cost = np.stack([row_sq_dists(X, centre) for centre in centres], axis=1)
    table = np.repeat(cost, size, axis=1)
    if larger:
        empty = len(centres) - larger
        forbidden = 1.0 + cost.max() * len(X)
        rows = np.full((empty, table.shape[1]), forbidden)
        optional = np.vstack([cost, np.zeros((empty, len(centres)))])
        table = np.hstack([np.vstack([table, rows]), optional])
        owner = np.append(owner, np.arange(len(centres)))
    return owner[linear_sum_assignment(table)[1][: len(X)]]
