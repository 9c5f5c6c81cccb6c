"""MDAV-generic: MDAV with pairs while 3k records remain; no record is left over."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, Reference, Traits, methods
from engine.methods.fixed_size.mdav import MDAV
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="mdav-generic",
        title="MDAV-generic",
        family="fixed-size",
        summary="MDAV while 3k records remain. The last records form one or two "
        "groups; no record joins a finished group. This is the MDAV of "
        "sdcMicro and of some textbooks.",
        reference=Reference(
            "Domingo-Ferrer J, Torra V (2005). Ordinal, continuous and heterogeneous "
            "k-anonymity through microaggregation. Data Mining and Knowledge "
            "Discovery 11(2), 195-212.",
            doi="10.1007/s10618-005-0007-5",
        ),
        traits=Traits(cost=MDAV.info.traits.cost),
        aliases=("sdcmicro-mdav",),
    )
)
class MDAVGeneric(Microaggregator):
    """MDAV with at least 3k records for every pair of groups."""

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        remaining = RemainingRecords(points, k, ctx, self.info.title)
        remaining.form_pairs(while_at_least=3 * k)
        remaining.form_singles(while_at_least=2 * k)
        remaining.form_rest()
        self.seeds_ = remaining.seeds
        return remaining.labels
