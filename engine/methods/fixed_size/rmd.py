"""RMD: groups around the records of largest robust Mahalanobis distance."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.numerics.robust import estimate_robust_spread
from engine.core.partition import Labels
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points

SINGULAR_MESSAGE = Message(
    "Half of the records do not differ in some direction, so that robust distances "
    "there are those by the spread of all records."
)


@methods.register(
    MethodInfo(
        id="rmd",
        title="RMD",
        family="fixed-size",
        summary="Groups the record farthest from the centre with its k-1 nearest "
        "records, again and again. The distance from the centre takes correlations "
        "into account, and outliers hardly influence it (robust Mahalanobis distance).",
        reference=Reference(
            "Templ M, Meindl B (2008). Robust statistics meets SDC: new disclosure "
            "risk measures for continuous microdata masking. Privacy in Statistical "
            "Databases, LNCS 5262, 177-189.",
            doi="10.1007/978-3-540-87471-3_15",
        ),
        traits=Traits(
            cost=RunCost("n p", 520, records=0.6, coordinates=1), uses_seed=True
        ),
        aliases=("robust-mahalanobis",),
    )
)
class RMD(Microaggregator):
    """Robust Mahalanobis distance; the default of sdcMicro for outlying data.

    The centre and the spread are those of the minimum covariance determinant, whose
    subsets the seed draws. Where it is singular, the spread of all records stands in
    for the directions in which half of the records do not differ.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X = points.X
        spread = estimate_robust_spread(X, int(rng.integers(2**31)))
        if spread.singular:
            self.warnings_ = (SINGULAR_MESSAGE,)
        outermost = np.argsort(-spread.sq_mahalanobis(X), kind="stable").astype(
            np.int64
        )
        remaining = RemainingRecords(points, k, ctx, self.info.title)
        remaining.form_along_orders(outermost[np.newaxis], while_at_least=2 * k)
        remaining.form_rest()
        self.seeds_ = remaining.seeds
        return remaining.labels
