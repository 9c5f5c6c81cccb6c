"""MDAV-2: MDAV-1, then groups dissolved where that helps."""

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
from engine.methods.fixed_size.mdav1 import MDAV1
from engine.methods.variable_size.second_stage import FIRST_STAGE, fine_tune
from engine.points.encode import Encoded


@methods.register(
    MethodInfo(
        id="mdav2",
        title="MDAV-2",
        family="variable-size",
        summary="MDAV-1, then dissolves each group, last one first, whose records are "
        "better off in the groups around it.",
        reference=Reference(
            "Lin JL, Wen TH, Hsieh JC, Chang PC (2010). Density-based "
            "microaggregation for statistical disclosure control. Expert Systems "
            "with Applications 37(4), 3256-3263.",
            doi="10.1016/j.eswa.2009.09.054",
        ),
        traits=Traits(cost=Cost("n^2 p / k", 0.4)),
    )
)
class MDAV2(Microaggregator):
    """MDAV-1 with the second stage of DBA-2."""

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        first = MDAV1(k).partition(encoded, ctx.part(0.0, FIRST_STAGE))
        return fine_tune(
            encoded.X,
            first.labels,
            k,
            ctx.part(FIRST_STAGE, 1.0),
            self.info.title,
            visit="last first",
        )
