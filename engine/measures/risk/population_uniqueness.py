"""Population uniqueness: records that are unique in the population."""

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
        id="population-uniqueness",
        title="Population uniqueness",
        summary=(
            "The expected share of records that are unique in the whole "
            "population: no other person has the same quasi-identifiers. For each "
            "record that is unique in the table, Coterie estimates the chance that "
            "the record is also unique in the population. The measure is the sum "
            "of these chances, divided by the number of records."
        ),
        formula=(
            "100 / n * sum over classes of size 1 of P(F = 1 | f = 1), F the people in "
            "the population with the class's values"
        ),
        reference=(
            "Skinner & Elliot 2002, https://doi.org/10.1111/1467-9868.00365; "
            + POPULATION_RISK_REFERENCE
        ),
        aliases=("population-uniques",),
    )
)
def population_uniqueness(protected: MeasuredRelease) -> Score:
    """Return the expected share of population uniques, in per cent."""
    return average_risk("population-uniqueness", protected, of_uniques=True)
