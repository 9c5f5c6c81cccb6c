"""MD, maximum distance: groups around the two records farthest apart."""

from __future__ import annotations

from engine.kernels.fixed_size.md import (
    form_farthest_pair_groups,
    make_farthest_partner_bounds,
)
from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.descriptions.sources import DOMINGO_MATEO_2002
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="md",
        title="MD",
        family="fixed-size",
        summary="Takes the two records that are farthest apart. Groups each of the two "
        "with its k-1 nearest records, and begins again. MDAV is a later and "
        "faster variant.",
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
class MD(GroupsAroundRecords):
    """Maximum distance microaggregation.

    Neither of the two records can become a member of the other's group. Where k to
    2k-1 records are left they form a group; fewer join the nearest centroids.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        form_farthest_pairs(remaining)
        remaining.form_rest_or_join()


def form_farthest_pairs(remaining: RemainingRecords) -> None:
    """Form groups around pairs of farthest records while 2k records remain."""
    remaining.form_by_kernel(
        form_farthest_pair_groups,
        2 * remaining.k,
        make_farthest_partner_bounds(remaining.points.X),
        *remaining.nearest_scratch,
    )
