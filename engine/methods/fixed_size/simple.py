"""Simple: groups of k consecutive records of the file."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.steps.runs import SDCMICRO_REFERENCE, label_fixed_runs
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="simple",
        title="Order of the file",
        family="fixed-size",
        summary="Cuts the file into groups of k consecutive records. A baseline: every "
        "method should lose less.",
        reference=SDCMICRO_REFERENCE,
        traits=Traits(cost=RunCost("n p", 0.01, records=1), separates=False),
    )
)
class Simple(Microaggregator):
    """Groups of k neighbours in the file; sdcMicro's ``simple``."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        ctx.tick(1, 2, self.info.title)
        return label_fixed_runs(np.arange(points.n_records, dtype=np.int64), k)
