"""DBA-1, also HDF: dense neighbourhoods first."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.descriptions.sources import LIN_2010
from engine.methods.fixed_size.density import form_neighbourhoods
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


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
class DBA1(GroupsAroundRecords):
    """DBA-1 or HDF, high density first.

    Repeatedly the record whose k-neighbourhood (itself and its k-1 nearest remaining
    records) has the smallest SSE; that neighbourhood is a group. Records left over
    join the group with the nearest centroid.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        form_neighbourhoods(remaining, 1.0)
