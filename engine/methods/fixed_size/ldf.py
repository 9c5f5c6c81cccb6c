"""LDF, low density first: sparse neighbourhoods first."""

from __future__ import annotations

from engine.methods.base import MethodInfo, Reference, RunCost, Traits, methods
from engine.methods.fixed_size.density import form_neighbourhoods
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="ldf",
        title="LDF",
        family="fixed-size",
        summary="Low density first (LDF): takes the widest neighbourhood of k records "
        "as a group, again and again. So outliers are grouped first, while "
        "records near them are still free.",
        reference=Reference(
            "Wen T-H, Lin J-L, Wang C-H. Density-based microaggregation methods (in "
            "Chinese). Yuan Ze University."
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p", 0.021, records=1.6, attributes=0.6, coordinates=0.35, size=0.15
            )
        ),
    )
)
class LDF(GroupsAroundRecords):
    """LDF, low density first.

    Repeatedly the record whose k-neighbourhood (itself and its k-1 nearest remaining
    records) has the largest SSE; that neighbourhood is a group. Records left over
    join the group with the nearest centroid.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        form_neighbourhoods(remaining, -1.0)
