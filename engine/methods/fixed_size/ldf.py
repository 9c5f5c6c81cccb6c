"""LDF, low density first: sparse neighbourhoods first."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.fixed_size.density import form_neighbourhoods
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="ldf",
        title="LDF",
        family="fixed-size",
        summary="Low density first (LDF): takes the widest neighbourhood of k "
        "records as a group, again and again. So outliers are grouped "
        "while near records are left.",
        reference=Reference(
            "Wen T-H, Lin J-L, Wang C-H. Density-based microaggregation methods (in "
            "Chinese). Yuan Ze University."
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p", 0.021, records=1.6, attributes=0.6, coordinates=0.35, size=0.15
            )
        ),
    )
)
class LDF(Microaggregator):
    """LDF, low density first.

    Repeatedly the record whose k-neighbourhood (itself and its k-1 nearest remaining
    records) has the largest SSE; that neighbourhood is a group. Records left over
    join the group with the nearest centroid.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        formed = form_neighbourhoods(points, k, -1.0, ctx, self.info.title)
        self.seeds_ = formed.seeds
        return formed.labels
