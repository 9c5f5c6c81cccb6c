"""GSMS: repeatedly form the group that leaves the smallest total SSE."""

from __future__ import annotations

import numpy as np

from engine.kernels.fixed_size.gsms import (
    form_groups_by_least_total_sse,
    write_neighbourhood_sums,
)
from engine.methods.base import MethodInfo, Reference, RunCost, Traits, methods
from engine.methods.fixed_size.density import find_neighbourhoods
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="gsms",
        title="GSMS",
        family="fixed-size",
        summary="Takes a neighbourhood of k records as a group, again and again. The "
        "records inside a neighbourhood have a sum of squares about their mean, "
        "and so have all other records. The neighbourhood for which both sums "
        "together are least becomes the group.",
        reference=Reference(
            "Panagiotakis C, Tziritas G (2013). Successive group selection for "
            "microaggregation. IEEE Transactions on Knowledge and Data Engineering."
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0025,
                records=1.9,
                attributes=0.8,
                coordinates=0.6,
                size=-0.15,
            )
        ),
    )
)
class GSMS(GroupsAroundRecords):
    """Group selection by sequential minimisation of SSE, first stage.

    Repeatedly the k-neighbourhood (a record and its k-1 nearest remaining ones) with
    the smallest SSE(group) + SSE(all others that remain). Records left over join the
    group with the nearest centroid.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        X, k = remaining.points.X, remaining.k
        hoods = find_neighbourhoods(remaining)
        Y = X - X[0]  # exact where values are large but near each other
        sums, gain = np.empty_like(Y), np.empty(len(X))
        write_neighbourhood_sums(Y, hoods, k, sums)
        remaining.form_by_kernel(
            form_groups_by_least_total_sse, k, hoods, Y, sums, gain
        )
        remaining.join_nearest_centroid()
