"""Z-score projection: optimal runs of records sorted by their sum of z-scores."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.descriptions.sources import DOMINGO_MATEO_2002
from engine.methods.steps.path import cut_by_score
from engine.methods.steps.projection import zscore_sum
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="zscore-projection",
        title="Z-score projection",
        family="univariate",
        summary="Sorts records by a score, the sum of their z-scores, and cuts the "
        "order into the groups that are best for this score. Very fast, but loses "
        "much.",
        reference=DOMINGO_MATEO_2002,
        traits=Traits(
            cost=RunCost("n p", 0.067, records=1.05, attributes=0.35, coordinates=0.6)
        ),
    )
)
class ZscoreProjection(Microaggregator):
    """Single-axis microaggregation by the sum of z-scores."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        return cut_by_score(zscore_sum(points.X), k, ctx, self.info.title)
