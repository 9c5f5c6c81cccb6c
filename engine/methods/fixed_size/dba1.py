"""DBA-1, also HDF: dense neighbourhoods first."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.descriptions.sources import LIN_2010
from engine.methods.fixed_size.density import form_neighbourhoods
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="dba1",
        title="DBA-1",
        family="fixed-size",
        summary="High density first (HDF): takes the tightest neighbourhood of k "
        "records as a group, again and again. Dense regions lose least; "
        "outliers come last and lose most.",
        reference=LIN_2010,
        traits=Traits(
            cost=RunCost(
                "n^2 p", 0.033, records=1.55, attributes=0.6, coordinates=0.35, size=0.2
            )
        ),
        aliases=("hdf",),
    )
)
class DBA1(Microaggregator):
    """DBA-1 or HDF, high density first.

    Repeatedly the record whose k-neighbourhood (itself and its k-1 nearest remaining
    records) has the smallest SSE; that neighbourhood is a group. Records left over
    join the group with the nearest centroid.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        formed = form_neighbourhoods(points, k, 1.0, ctx, self.info.title)
        self.seeds_ = formed.seeds
        return formed.labels
