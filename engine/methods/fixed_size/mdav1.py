"""MDAV-1: MDAV with groups of k while k records remain; the rest join the nearest."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, Traits, methods
from engine.methods.descriptions.sources import LIN_2010
from engine.methods.fixed_size.mdav import MDAV
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mdav1",
        title="MDAV-1",
        family="fixed-size",
        summary="MDAV, but the last group takes only k records and every other one "
        "joins the group with the nearest centroid.",
        reference=LIN_2010,
        traits=Traits(cost=MDAV.info.traits.cost),
    )
)
class MDAV1(Microaggregator):
    """MDAV with groups of k while k records remain; the rest join the nearest."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        remaining = RemainingRecords(points, k, ctx, self.info.title)
        remaining.form_pairs(while_at_least=2 * k)
        remaining.form_singles(while_at_least=k)
        remaining.join_nearest_centroid()
        self.seeds_ = remaining.seeds
        return remaining.labels
