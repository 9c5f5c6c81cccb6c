"""Distance-based record linkage: records found among the nearest released ones."""

from __future__ import annotations

from engine.measures.base import MeasureCost, MeasuredRelease, RiskInfo, Score, measures
from engine.measures.reidentification.linkage import GUESSED_BASELINE, link_nearest
from engine.measures.sources import DISCLOSURE_REFERENCE


@measures.register(
    RiskInfo(
        id="record-linkage",
        title="Record linkage by distance",
        summary=(
            "An intruder knows original quasi-identifiers, and takes the nearest "
            "released record. If several released records are equally near, the "
            "intruder guesses. The measure is the share of records that the "
            "intruder finds."
        ),
        formula=(
            "100 * mean over records of [own is nearest] / |{nearest}|, by the "
            "Euclidean distance of x / s_j and x' / s_j"
        ),
        reference=DISCLOSURE_REFERENCE,
        aliases=("dbrl",),
        baseline=GUESSED_BASELINE,
        effort=MeasureCost(microseconds=0.5),
    )
)
def record_linkage(protected: MeasuredRelease) -> Score:
    """Return the share of records found, in per cent.

    Distances are Euclidean, of numbers in standard deviations of the original. A
    category that the released one does not stand for costs as much as makes categories
    and numbers count the same over all pairs of records; so does a cell that is missing
    on one side only.
    """
    return link_nearest(protected).found_share_score("record-linkage")
