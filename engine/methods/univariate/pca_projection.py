"""PCA projection: optimal runs of records sorted by first principal component."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.descriptions.sources import DOMINGO_MATEO_2002
from engine.methods.steps.path import cut_by_score
from engine.methods.steps.projection import first_component_scores
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="pca-projection",
        title="PCA projection",
        family="univariate",
        summary="Sorts records by a score, their first principal component, and cuts "
        "the order into the groups that are best for this score. Very fast, but loses "
        "much.",
        reference=DOMINGO_MATEO_2002,
        traits=Traits(
            cost=RunCost("n p", 0.021, records=1.1, coordinates=0.3, size=0.15)
        ),
    )
)
class PCAProjection(Microaggregator):
    """Single-axis microaggregation by the first principal component."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        return cut_by_score(first_component_scores(points.X), k, ctx, self.info.title)
