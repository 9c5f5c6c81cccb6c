"""CBFS: one group at a time around the record farthest from the centroid."""

from __future__ import annotations

from engine.methods.base import MethodInfo, RunCost, Traits, methods
from engine.methods.descriptions.sources import LASZLO_MUKHERJEE_2005
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="cbfs",
        title="CBFS",
        family="fixed-size",
        summary="Takes the ungrouped record that is farthest from the centroid (mean) "
        "of all ungrouped records. Groups this record with the k-1 nearest ungrouped "
        "records, and begins again.",
        reference=LASZLO_MUKHERJEE_2005,
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.009,
                records=1.4,
                attributes=1.25,
                coordinates=0.65,
                size=-0.55,
            )
        ),
    )
)
class CBFS(GroupsAroundRecords):
    """Centroid-based fixed-size microaggregation."""

    def _form_groups(self, remaining: RemainingRecords) -> None:
        remaining.form_singles(while_at_least=remaining.k)
        remaining.join_nearest_centroid()
