"""Group linkage: records whose nearest released class is their own."""

from __future__ import annotations

import numpy as np

from engine.measures.base import MeasureCost, MeasuredRelease, RiskInfo, Score, measures
from engine.measures.judge import TOLERANT_CHANCE_JUDGE
from engine.measures.reidentification.linkage import link_nearest
from engine.measures.sources import DISCLOSURE_REFERENCE


@measures.register(
    RiskInfo(
        id="group-linkage",
        title="Linkage to the own group",
        summary=(
            "An intruder knows original quasi-identifiers, and takes the group "
            "with the nearest released values. The measure is the share of records "
            "whose own group is taken. The intruder then knows what the records of "
            "this group have in common."
        ),
        formula=(
            "100 * mean over records of |{nearest in own class}| / |{nearest}|, by the "
            "Euclidean distance of x / s_j and x' / s_j"
        ),
        reference=DISCLOSURE_REFERENCE,
        baseline="The success of picking a released record at random.",
        # Groups of similar records always are: what harms is judged elsewhere.
        judge=TOLERANT_CHANCE_JUDGE,
        effort=MeasureCost(microseconds=0.4),
    )
)
def group_linkage(protected: MeasuredRelease) -> Score:
    """Return the share of records linked to their own class, in per cent."""
    links = link_nearest(protected)
    sizes = protected.class_sizes(protected.classes())
    chance = float(np.square(sizes / sizes.sum()).sum())
    return links.mean_score("group-linkage", links.own / links.candidates, chance)
