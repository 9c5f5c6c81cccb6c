"""PCA: fixed runs of records sorted by their first principal component."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.steps.projection import first_component_scores
from engine.methods.steps.runs import SDCMICRO_REFERENCE, label_fixed_runs
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="pca",
        title="PCA, fixed runs",
        family="univariate",
        summary="Sorts records by their first principal component, and cuts the order "
        "into groups of k records. PCA projection cuts the same order at the best "
        "places.",
        reference=SDCMICRO_REFERENCE,
        traits=Traits(
            cost=RunCost("n p", 0.0088, records=1.2, coordinates=0.3, size=0.05)
        ),
    )
)
class PCA(Microaggregator):
    """Runs of k along the first principal component; sdcMicro's ``pca``."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        score = first_component_scores(points.X)
        ctx.tick(1, 2, self.info.title)
        return label_fixed_runs(np.argsort(score, kind="stable").astype(np.int64), k)
