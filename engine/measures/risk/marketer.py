"""Marketer risk: average share of records re-identified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.measures import judge
from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.confidential import UNPROTECTED_BASELINE
from engine.measures.population import population_class_sizes, population_note


@measures.register(
    MeasureInfo(
        id="marketer-risk",
        title="Marketer risk",
        family="risk",
        summary=(
            "The share of all records that would be named rightly by somebody who "
            "matches the whole release with a register of the population."
        ),
        formula="100 * mean over records of 1 / F, F the people of the record's class",
        direction="lower is better",
        unit="%",
        reference=(
            "Dankar & El Emam 2010, https://doi.org/10.1145/1754239.1754271; "
            "El Emam 2013, https://doi.org/10.1201/b14764"
        ),
        limits=(0.0, 100.0),
        baseline=UNPROTECTED_BASELINE,
        judge=judge.PERCENT_RISK_JUDGE,
        on_demand=True,
    )
)
def marketer_risk(protected: MeasuredRelease) -> Score:
    """Return the average risk of all records, in per cent."""

    def average(classes: NDArray[np.int64]) -> float:
        return 100.0 * protected.mean(1.0 / population_class_sizes(protected, classes))

    before = protected.classes_before()
    return Score(
        "marketer-risk",
        average(protected.classes()),
        baseline=None if before is None else average(before),
        note=population_note(protected),
    )
