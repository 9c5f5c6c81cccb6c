"""Marketer risk: average share of records re-identified."""

from __future__ import annotations

from engine.measures.base import (
    MeasuredRelease,
    RiskAgainstOriginalInfo,
    Score,
    measures,
)
from engine.measures.reidentification.population import (
    POPULATION_RISK_REFERENCE,
    average_risk,
)


@measures.register(
    RiskAgainstOriginalInfo(
        id="marketer-risk",
        title="Marketer risk",
        summary=(
            "An intruder matches the whole release with a register of the "
            "population. The measure is the expected share of records that get the "
            "right name."
        ),
        formula=(
            "100 * mean over records of E[1 / F | f], F the people of the record's "
            "class in the population, f those in the table"
        ),
        reference=(
            "Dankar & El Emam 2010, https://doi.org/10.1145/1754239.1754271; "
            "El Emam 2013, https://doi.org/10.1201/b14764; " + POPULATION_RISK_REFERENCE
        ),
    )
)
def marketer_risk(protected: MeasuredRelease) -> Score:
    """Return the expected average risk of all records, in per cent."""
    return average_risk("marketer-risk", protected)
