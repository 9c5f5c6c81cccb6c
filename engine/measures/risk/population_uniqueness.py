"""Population uniqueness: records that are unique in the population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.measures import judge
from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.confidential import UNPROTECTED_BASELINE
from engine.measures.population import population_class_sizes, population_note


@measures.register(
    MeasureInfo(
        id="population-uniqueness",
        title="Population uniqueness",
        family="risk",
        summary=(
            "The share of records expected to be the only ones with their "
            "quasi-identifiers in the whole population: of those that are unique in "
            "the table, each with its own chance."
        ),
        formula=(
            "100 / n * sum over classes of size 1 of 1 / F, F the people that the "
            "record stands for"
        ),
        direction="lower is better",
        unit="%",
        reference=(
            "Benedetti & Franconi 1998; Franconi & Polettini 2004, "
            "https://doi.org/10.1007/978-3-540-25955-8_20; Skinner & Elliot 2002, "
            "https://doi.org/10.1111/1467-9868.00365"
        ),
        aliases=("population-uniques",),
        limits=(0.0, 100.0),
        baseline=UNPROTECTED_BASELINE,
        judge=judge.PERCENT_RISK_JUDGE,
        on_demand=True,
    )
)
def population_uniqueness(protected: MeasuredRelease) -> Score:
    """Return the expected share of population uniques, in per cent.

    Notes
    -----
    Given f records of a kind in a sample with probability p each, the people of that
    kind are negative binomial: P(F = h | f = 1) = p (1 - p)^(h - 1). So a sample unique
    is one in the population with the chance p = 1 / F, F what it stands for.
    """

    def expected(classes: NDArray[np.int64]) -> float:
        alone = protected.class_sizes(classes)[classes] == 1
        return 100.0 * protected.mean(
            alone / population_class_sizes(protected, classes)
        )

    before = protected.classes_before()
    return Score(
        "population-uniqueness",
        expected(protected.classes()),
        baseline=None if before is None else expected(before),
        note=population_note(protected),
    )
