"""Journalist risk: chance of re-identifying any record in the population."""

from __future__ import annotations

from engine.measures.base import (
    MeasuredRelease,
    RiskAgainstOriginalInfo,
    Score,
    measures,
)
from engine.measures.reidentification.population import (
    POPULATION_RISK_REFERENCE,
    highest_risk,
)
from engine.measures.sources import EL_EMAM_REFERENCE


@measures.register(
    RiskAgainstOriginalInfo(
        id="journalist-risk",
        title="Journalist risk, highest",
        summary=(
            "An intruder has a register of the whole population. For each record, "
            "Coterie estimates the chance that the intruder names the right "
            "person. The measure is the largest of these chances."
        ),
        formula=(
            "100 * max over classes of E[1 / F | f], F the people in the population "
            "with the class's values, f those in the table"
        ),
        reference=f"{EL_EMAM_REFERENCE}; {POPULATION_RISK_REFERENCE}",
        aliases=("k-map",),
    )
)
def journalist_risk(protected: MeasuredRelease) -> Score:
    """Return the highest expected risk of a record, in per cent."""
    return highest_risk("journalist-risk", protected)
