"""MDAV: pairs of groups at opposite ends of the remaining records."""

from __future__ import annotations

from engine.methods.base import MethodInfo, Reference, RunCost, Traits, methods
from engine.methods.steps.remaining import GroupsAroundRecords, RemainingRecords


@methods.register(
    MethodInfo(
        id="mdav",
        title="MDAV",
        family="fixed-size",
        summary="Takes the record farthest from the centre (mean) of all ungrouped "
        "records, and then the record farthest from that record. Groups each of "
        "the two with its k-1 nearest records, and begins again. The MDAV of "
        "sdcMicro is MDAV-generic.",
        reference=Reference(
            "Kabir ME, Wang H, Zhang Y (2010). A pairwise-systematic "
            "microaggregation for statistical disclosure control. IEEE International "
            "Conference on Data Mining, 266-273: MDAV is on p. 269.",
            doi="10.1109/ICDM.2010.111",
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p / k",
                0.00082,
                records=1.6,
                attributes=1.65,
                coordinates=0.6,
                size=-0.55,
            )
        ),
    )
)
class MDAV(GroupsAroundRecords):
    """Maximum distance to average vector, with pairs while 2k records remain.

    The paper that named MDAV ends the pairs at 3k: see :class:`.MDAVGeneric`.
    """

    def _form_groups(self, remaining: RemainingRecords) -> None:
        remaining.form_pairs(while_at_least=2 * remaining.k)
        remaining.form_rest_or_join()
