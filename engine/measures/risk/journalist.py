"""Journalist risk: chance of re-identifying any record in the population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.data.persons import NOBODY
from engine.measures import judge
from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.confidential import UNPROTECTED_BASELINE
from engine.measures.population import population_class_sizes, population_note
from engine.measures.sources import EL_EMAM_REFERENCE


@measures.register(
    MeasureInfo(
        id="journalist-risk",
        title="Journalist risk, highest",
        family="risk",
        summary=(
            "The chance to name the person behind a record by a register of the whole "
            "population, for the record easiest to name."
        ),
        formula=(
            "100 * max over classes of 1 / F, F the people in the population with "
            "the class's values (k-map)"
        ),
        direction="lower is better",
        unit="%",
        reference=EL_EMAM_REFERENCE,
        aliases=("k-map",),
        limits=(0.0, 100.0),
        baseline=UNPROTECTED_BASELINE,
        judge=judge.PERCENT_RISK_JUDGE,
        on_demand=True,
    )
)
def journalist_risk(protected: MeasuredRelease) -> Score:
    """Return the highest risk of a record, in per cent.

    The weights of a class's records estimate how many people there are of its kind.
    """

    def highest(classes: NDArray[np.int64]) -> float:
        people = population_class_sizes(protected, classes)
        if protected.persons is not None:
            people = people[protected.persons != NOBODY]
        return 100.0 / float(people.min())

    before = protected.classes_before()
    return Score(
        "journalist-risk",
        highest(protected.classes()),
        baseline=None if before is None else highest(before),
        note=population_note(protected),
    )
