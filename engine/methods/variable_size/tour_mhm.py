"""Tour-MHM: a short closed tour through the records, opened and cut optimally."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.kernels.variable_size.tour import shorten_tour
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.steps.near import nearest_records
from engine.methods.steps.path import (
    Order,
    mean_record,
    optimal_cut,
    order_by_nearest,
    row_sq_dists,
)
from engine.points.base import Points

MAX_NEAR_RECORDS = 10
"""Near records of each record to which an edge may lead."""


@methods.register(
    MethodInfo(
        id="tour-mhm",
        title="Tour-MHM",
        family="variable-size",
        summary="Makes a short round trip through all records, opens it at its longest "
        "edge, and cuts this path into the best groups of k to 2k-1.",
        reference=Reference(
            "Maya-López A, Casino F, Solanas A (2021). Improving multivariate "
            "microaggregation through Hamiltonian paths and optimal univariate "
            "microaggregation. Symmetry 13(6), 916.",
            doi="10.3390/sym13060916",
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0084,
                records=1.4,
                attributes=1.5,
                coordinates=0.55,
                size=0.15,
            ),
            separates=False,
        ),
    )
)
class TourMHM(Microaggregator):
    """Hamiltonian path of a travelling salesman's tour, multivariate Hansen-Mukherjee.

    Parameters
    ----------
    k : int
        Minimum group size.
    seed : int
        Not used.

    Notes
    -----
    The source takes tours of several heuristics. This tour is the nearest-neighbour
    path from the record farthest from the mean, closed, and shortened by 2-opt among
    near records, in the order of the records, until no exchange of two edges helps.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, stage = points.X, self.info.title
        first = int(row_sq_dists(X, mean_record(X)).argmax())
        shared = points.shared_coordinates
        tour = order_by_nearest(X, first, ctx.subcontext(0.0, 0.4), stage, shared)
        near = near_records(points, ctx.subcontext(0.4, 0.7), stage)
        shorten(X, near, tour, ctx.subcontext(0.7, 0.8), stage)
        return optimal_cut(X, open_tour(X, tour), k, ctx.subcontext(0.8, 1.0), stage)[0]


def near_records(points: Points, ctx: RunContext, stage: str) -> Integers:
    """Return the nearest records of each record, itself among them, in order.

    Returns
    -------
    ndarray of int64, shape (n_records, MAX_NEAR_RECORDS + 1)
        Fewer columns for fewer records; of equally near records the lowest first.
    """
    width = min(points.n_records, MAX_NEAR_RECORDS + 1)
    near, squared = nearest_records(points, width, ctx, stage)
    order = np.lexsort((near, squared), axis=1)
    return np.take_along_axis(near, order, axis=1)


def shorten(
    X: Values, near: Integers, tour: Order, ctx: RunContext, stage: str
) -> None:
    """Shorten a closed tour by 2-opt until no exchange with near records helps."""
    n = tour.size
    place = np.empty_like(tour)
    place[tour] = np.arange(n)
    is_open = np.ones(n, dtype=np.bool_)
    rounds = 0
    while is_open.any():
        rounds += 1
        share = ctx.subcontext(1 - 0.5 ** (rounds - 1), 1 - 0.5**rounds)
        done = 0
        while done < n:
            share.tick(done, n, stage)
            # A record that changes its place is read and written, here and there.
            steps = steps_per_look(4)
            done = shorten_tour(X, near, tour, place, is_open, done, steps)


def open_tour(X: Values, tour: Order) -> Order:
    """Return the path that a closed tour becomes without its longest edge."""
    edges = row_sq_dists(X[tour], X[np.roll(tour, -1)])
    return np.roll(tour, -1 - int(edges.argmax()))
