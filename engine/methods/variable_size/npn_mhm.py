"""NPN-MHM: the path from nearest to nearest record, cut into the best groups."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.parameters import Choice
from engine.core.partition import Labels
from engine.methods.base import Cost, MethodInfo, Microaggregator, Traits, methods
from engine.methods.path import (
    REFERENCE,
    best_cut,
    mean_record,
    order_by_nearest,
    squared_distances,
    widest_record,
)
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="npn-mhm",
        title="NPN-MHM",
        family="variable-size",
        summary="Walks from each record to the nearest one not visited yet, then cuts "
        "that path into the best groups of k to 2k-1.",
        reference=REFERENCE,
        parameters=(
            Choice(
                "first",
                "best",
                "First record",
                "Where the path begins: at the record farthest from the mean, at one "
                "of the two records farthest apart, or at whichever of the two loses "
                "less.",
                options=("best", "farthest-from-mean", "farthest-pair"),
            ),
        ),
        traits=Traits(
            cost=Cost(
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

    def __init__(self, k: int = 3, *, first: str = "best", seed: int = 0) -> None:
        super().__init__(k, seed=seed)
        self.first = first

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, shared, stage = points.X, points.shared, self.info.title
        candidates = []
        if self.first != "farthest-pair":
            candidates.append(int(squared_distances(X, mean_record(X)).argmax()))
        if self.first != "farthest-from-mean":
            candidates.append(widest_record(X, ctx.part(0.0, 0.3), stage, shared))
        found: list[tuple[Labels, float]] = []
        for number, record in enumerate(dict.fromkeys(candidates)):
            start = 0.3 + 0.7 * number / len(candidates)
            part = ctx.part(start, start + 0.7 / len(candidates))
            order = order_by_nearest(X, record, part, stage, shared)
            found.append(best_cut(X, order, k, part, stage))
        return min(found, key=lambda cut: cut[1])[0]
