"""MDAV-generic: MDAV with pairs while 3k records remain; no record is left over."""

from __future__ import annotations

from engine.methods.base import MethodInfo, Reference, Traits, methods
from engine.methods.fixed_size.mdav import MDAV
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="mdav-generic",
        title="MDAV-generic",
        family="fixed-size",
        summary="Works like MDAV as long as at least 3k records remain. The last "
        "records form one or two groups; no record joins a finished group. This is the "
        "MDAV of sdcMicro and of some textbooks.",
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
class MDAVGeneric(GroupsAroundRecords):
    """MDAV with at least 3k records for every pair of groups."""

    def _form_groups(self, remaining: RemainingRecords) -> None:
        remaining.form_pairs(while_at_least=3 * remaining.k)
        remaining.form_singles(while_at_least=2 * remaining.k)
        remaining.form_rest()
