"""Z-score projection: the sum of z-scores ranks the records, then best runs."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import (
    Cost,
    MethodInfo,
    Microaggregator,
    Reference,
    Traits,
    methods,
)
from engine.methods.path import cut_by_score
from engine.methods.projection import zscore_sum
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="zscore-projection",
        title="Z-score projection",
        family="univariate",
        summary="Ranks records by the sum of their z-scores and cuts the ranking into "
        "the runs that lose least of that score; very fast, loses much.",
        reference=Reference(
            "Domingo-Ferrer J, Mateo-Sanz JM (2002). Practical data-oriented "
            "microaggregation for statistical disclosure control. IEEE Transactions "
            "on Knowledge and Data Engineering 14(1), 189-201.",
            doi="10.1109/69.979982",
        ),
        traits=Traits(
            cost=Cost("n p", 0.067, records=1.05, attributes=0.35, coordinates=0.6)
        ),
    )
)
class ZscoreProjection(Microaggregator):
    """Single-axis microaggregation by the sum of z-scores."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        return cut_by_score(zscore_sum(points.X), k, ctx, self.info.title)
