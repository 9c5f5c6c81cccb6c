"""DBA-2: DBA-1, then groups dissolved where that helps."""

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
from engine.methods.fixed_size.dba1 import DBA1
from engine.methods.variable_size.second_stage import FIRST_STAGE, fine_tune
from engine.points.encode import Encoded


@methods.register(
    MethodInfo(
        id="dba2",
        title="DBA-2",
        family="variable-size",
        summary="DBA-1, then dissolves each group, last one first, whose records are "
        "better off in the groups around it.",
        reference=Reference(
            "Lin JL, Wen TH, Hsieh JC, Chang PC (2010). Density-based "
            "microaggregation for statistical disclosure control. Expert Systems "
            "with Applications 37(4), 3256-3263.",
            doi="10.1016/j.eswa.2009.09.054",
        ),
        traits=Traits(cost=Cost("n^2 p", 0.5)),
    )
)
class DBA2(Microaggregator):
    """Both stages of density-based microaggregation."""

    def _partition(
        self, encoded: Encoded, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        first = DBA1(k).partition(encoded, ctx.part(0.0, FIRST_STAGE))
        return fine_tune(
            encoded.X,
            first.labels,
            k,
            ctx.part(FIRST_STAGE, 1.0),
            self.info.title,
            visit="last first",
        )
