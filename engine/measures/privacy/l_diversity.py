"""Distinct l-diversity: how many confidential values a class has at least."""

from __future__ import annotations

import numpy as np

from engine.measures import judge
from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.confidential import UNPROTECTED, Counts, per_attribute
from engine.measures.sources import L_DIVERSITY


def distinct(counts: Counts) -> float:
    """Return the fewest different values that a class has."""
    return float(counts.distinct.min())


@measures.register(
    MeasureInfo(
        id="l-diversity",
        title="l-diversity, distinct",
        family="privacy",
        summary=(
            "The smallest number of different confidential values among records that "
            "share all quasi-identifiers, of different people where they are counted: "
            "with 1, whoever finds the class knows the value."
        ),
        formula="l = min over classes of |{confidential values in the class}|",
        direction="higher is better",
        unit="values",
        reference=L_DIVERSITY,
        limits=(1.0, np.inf),
        baseline=UNPROTECTED,
        judge=judge.UNPROTECTED,
        on_demand=True,
    )
)
def l_diversity(protected: Protected) -> Score:
    """Return l of each confidential attribute, and the least."""
    return per_attribute("l-diversity", protected, distinct, min)
