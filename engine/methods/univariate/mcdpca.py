"""Robust PCA: fixed runs along the first component of the robust covariance."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.numerics.robust import estimate_robust_spread
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.fixed_size.rmd import SINGULAR_MESSAGE
from engine.methods.steps.projection import main_axis, weighted_sum
from engine.methods.steps.runs import SDCMICRO_REFERENCE, label_fixed_runs
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mcdpca",
        title="Robust PCA, fixed runs",
        family="univariate",
        summary="Looks for the half of all records that spreads least (MCD). Sorts all "
        "records by the first principal component of this half, and cuts the order "
        "into groups of k records. Outliers do not change this component.",
        reference=SDCMICRO_REFERENCE,
        traits=Traits(
            cost=RunCost("n p", 520, records=0.6, coordinates=1), uses_seed=True
        ),
    )
)
class RobustPCA(Microaggregator):
    """Runs of k along a robust component; sdcMicro's ``mcdpca``.

    The minimum covariance determinant draws its subsets by the seed.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        spread = estimate_robust_spread(points.X, int(rng.integers(2**31)))
        if spread.singular:
            self.warnings_ = (SINGULAR_MESSAGE,)
        ctx.tick(1, 2, self.info.title)
        score = weighted_sum(points.X, main_axis(spread.covariance))
        return label_fixed_runs(np.argsort(score, kind="stable").astype(np.int64), k)
