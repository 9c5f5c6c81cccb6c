"""NPN-MHM: nearest-neighbour path through the records, cut optimally."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.parameters import Choice
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.steps.path import (
    MHM_REFERENCE,
    farthest_pair_member,
    mean_record,
    optimal_cut,
    order_by_nearest,
    row_sq_dists,
)
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="npn-mhm",
        title="NPN-MHM",
        family="variable-size",
        summary="Goes from each record to the nearest record not yet visited, "
        "and cuts this path into the best groups of k to 2k-1.",
        reference=MHM_REFERENCE,
        parameters=(
            Choice(
                "first",
                "best",
                "First record",
                "Where the path begins: at the record farthest from the mean, or "
                "at one of the two records farthest apart. best: the beginning "
                "that loses less.",
                options=("best", "farthest-from-mean", "farthest-pair"),
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0084,
                records=1.4,
                attributes=1.5,
                coordinates=0.55,
                size=0.15,
            )
        ),
    )
)
class NPNMHM(Microaggregator):
    """Nearest-point-next order, multivariate Hansen-Mukherjee.

    Parameters
    ----------
    k : int
        Minimum group size.
    first : {"best", "farthest-from-mean", "farthest-pair"}
        Where the path begins; "best" walks both paths and keeps the smaller SSE, of
        equal ones that from the record farthest from the mean.
    seed : int
        Not used.
    """

    first: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, shared, stage = points.X, points.shared_coordinates, self.info.title
        candidates = []
        if self.first != "farthest-pair":
            candidates.append(int(row_sq_dists(X, mean_record(X)).argmax()))
        if self.first != "farthest-from-mean":
            candidates.append(
                farthest_pair_member(X, ctx.subcontext(0.0, 0.3), stage, shared)
            )
        cuts: list[tuple[Labels, float]] = []
        for number, record in enumerate(dict.fromkeys(candidates)):
            start = 0.3 + 0.7 * number / len(candidates)
            part = ctx.subcontext(start, start + 0.7 / len(candidates))
            order = order_by_nearest(X, record, part, stage, shared)
            cuts.append(optimal_cut(X, order, k, part, stage))
        return min(cuts, key=lambda cut: cut[1])[0]
