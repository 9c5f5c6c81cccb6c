"""Prosecutor risk: chance of re-identifying a person known to be in the table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.data.persons import k_of_known_persons
from engine.measures.base import (
    MeasuredRelease,
    RiskAgainstOriginalInfo,
    Score,
    measures,
)
from engine.measures.sources import EL_EMAM_REFERENCE


@measures.register(
    RiskAgainstOriginalInfo(
        id="prosecutor-risk",
        title="Prosecutor risk, highest",
        summary=(
            "An intruder knows that a person is in the table. For each person, "
            "Coterie calculates the chance that the intruder picks out the right "
            "record. The measure is the largest of these chances."
        ),
        formula=(
            "100 * max over classes of 1 / f, f the records, or people, in the class"
        ),
        reference=EL_EMAM_REFERENCE,
    )
)
def prosecutor_risk(protected: MeasuredRelease) -> Score:
    """Return the highest risk of a record, or person, in per cent."""

    def highest(classes: NDArray[np.int64]) -> float:
        persons = protected.persons
        if persons is None:
            return 100.0 / float(np.bincount(classes).min())
        return 100.0 / k_of_known_persons(classes, persons, protected.intruder_knows)

    before = protected.classes_before()
    return Score(
        "prosecutor-risk",
        highest(protected.classes()),
        baseline=None if before is None else highest(before),
    )
