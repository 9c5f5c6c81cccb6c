"""MFS: groups grown from the two records farthest apart."""

from __future__ import annotations

import numpy as np

from engine.kernels.fixed_size.md import (
    form_grown_pair_groups,
    make_farthest_partner_bounds,
)
from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.descriptions.sources import MATEO_DOMINGO_1998
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="mfs",
        title="MFS",
        family="fixed-size",
        summary="Takes the two records that are farthest apart. From each of the two a "
        "group grows: the record nearest to the mean of the group joins, until it has "
        "k records. For a small k, it mostly loses less than MD.",
        reference=MATEO_DOMINGO_1998,
        traits=Traits(
            cost=RunCost("n^2 p", 0.010, records=1.6, attributes=0.95, coordinates=0.7)
        ),
    )
)
class MFS(GroupsAroundRecords):
    """Multivariate fixed-size microaggregation by the maximum-distance criterion.

    Neither of the two records can become a member of the other's group. Where k to
    2k-1 records are left they form a group; fewer join the nearest centroids.

    Notes
    -----
    Section 3.1 of the source says of an example: "the vector closest to the group";
    its figures come out where that is the vector closest to the group's mean.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        X = remaining.points.X
        remaining.form_by_kernel(
            form_grown_pair_groups,
            2 * remaining.k,
            make_farthest_partner_bounds(X),
            remaining.k,
            np.empty((2, X.shape[1])),
            np.empty(1, dtype=np.int64),
            np.empty(1),
        )
        remaining.form_rest_or_join()
