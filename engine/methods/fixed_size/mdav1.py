"""MDAV-1: MDAV whose last group has exactly k records."""

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
from engine.methods.remaining import Remaining
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mdav1",
        title="MDAV-1",
        family="fixed-size",
        summary="MDAV, but the last group takes only k records and every other one "
        "joins the group with the nearest centroid.",
        reference=Reference(
            "Lin JL, Wen TH, Hsieh JC, Chang PC (2010). Density-based "
            "microaggregation for statistical disclosure control. Expert Systems "
            "with Applications 37(4), 3256-3263.",
            doi="10.1016/j.eswa.2009.09.054",
        ),
        traits=Traits(
            cost=Cost(
                "n^2 p / k",
                0.00082,
                records=1.6,
                attributes=1.65,
                coordinates=0.6,
                size=-0.55,
            )
        ),
    )
)
class MDAV1(Microaggregator):
    """MDAV with a last group of exactly k."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        remaining = Remaining(points, k, ctx, self.info.title)
        remaining.form_pairs(while_at_least=2 * k)
        remaining.form_singles(while_at_least=k)
        remaining.join_nearest_centroid()
        self.seeds_ = remaining.seeds
        return remaining.labels
