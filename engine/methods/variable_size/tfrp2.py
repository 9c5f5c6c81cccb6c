"""TFRP-2: TFRP-1, then groups dissolved where that helps."""

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
from engine.methods.fixed_size.tfrp1 import TFRP1
from engine.methods.variable_size.second_stage import FIRST_STAGE, fine_tune
from engine.points.encode import Encoded


@methods.register(
    MethodInfo(
        id="tfrp2",
        title="TFRP-2",
        family="variable-size",
        summary="TFRP-1, then dissolves each group, widest one first, whose records "
        "are better off in the groups around it, none of which may pass 4k-1.",
        reference=Reference(
            "Chang CC, Li YC, Huang WH (2007). TFRP: An efficient microaggregation "
            "algorithm for statistical disclosure control. Journal of Systems and "
            "Software 80(11), 1866-1878.",
        ),
        traits=Traits(cost=Cost("n^2 p / k", 0.3)),
    )
)
class TFRP2(Microaggregator):
    """Both stages of the two fixed reference points method."""

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        first = TFRP1(k).partition(encoded, ctx.part(0.0, FIRST_STAGE))
        return fine_tune(
            encoded.X,
            first.labels,
            k,
            ctx.part(FIRST_STAGE, 1.0),
            self.info.title,
            visit="widest first",
            largest=4 * k - 1,
        )
