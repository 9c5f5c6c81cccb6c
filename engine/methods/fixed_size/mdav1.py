"""MDAV-1: MDAV with groups of k while k records remain; the rest join the nearest."""

from __future__ import annotations

from engine.methods.base import MethodInfo, Traits, methods
from engine.methods.descriptions.sources import LIN_2010
from engine.methods.fixed_size.mdav import MDAV
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="mdav1",
        title="MDAV-1",
        family="fixed-size",
        summary="Works like MDAV, but the last group takes only k records. Each record "
        "that remains joins the group with the nearest centroid.",
        reference=LIN_2010,
        traits=Traits(cost=MDAV.info.traits.cost),
    )
)
class MDAV1(GroupsAroundRecords):
    """MDAV with groups of k while k records remain; the rest join the nearest."""

    def _form_groups(self, remaining: RemainingRecords) -> None:
        remaining.form_pairs(while_at_least=2 * remaining.k)
        remaining.form_singles(while_at_least=remaining.k)
        remaining.join_nearest_centroid()
