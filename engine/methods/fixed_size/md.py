"""MD, maximum distance: groups around the two records farthest apart."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.kernels.fixed_size.md import (
    form_farthest_pair_groups,
    make_farthest_partner_bounds,
)
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.descriptions.sources import DOMINGO_MATEO_2002
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="md",
        title="MD",
        family="fixed-size",
        summary="Takes the two records farthest apart, each with its k-1 nearest, "
        "again and again; the ancestor of MDAV.",
        reference=DOMINGO_MATEO_2002,
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0075,
                records=1.9,
                attributes=0.45,
                coordinates=0.8,
                size=-0.75,
            )
        ),
    )
)
class MD(Microaggregator):
    """Maximum distance microaggregation.

    Neither of the two records can become a member of the other's group. Where k to
    2k-1 records are left they form a group; fewer join the nearest centroids.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        remaining = form_farthest_pairs(points, k, ctx, self.info.title)
        if remaining.n_remaining >= k:
            remaining.form_rest()
        else:
            remaining.join_nearest_centroid()
        self.seeds_ = remaining.seeds
        return remaining.labels


def form_farthest_pairs(
    points: Points, k: int, ctx: RunContext, stage: str
) -> RemainingRecords:
    """Return groups around pairs of farthest records, formed while 2k records remain.

    Parameters
    ----------
    stage : str
        What is being done, for `ctx`.
    """
    remaining = RemainingRecords(points, k, ctx, stage)
    remaining.form_by_kernel(
        form_farthest_pair_groups,
        2 * k,
        make_farthest_partner_bounds(points.X),
        np.empty(k - 1, dtype=np.int64),
        np.empty(k - 1),
    )
    return remaining
