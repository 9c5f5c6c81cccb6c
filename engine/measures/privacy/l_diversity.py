"""Distinct l-diversity: fewest distinct confidential values in a class."""

from __future__ import annotations

import numpy as np

from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.confidential import (
    ClassCounts,
    ConfidentialInfo,
    score_per_attribute,
)
from engine.measures.sources import L_DIVERSITY_REFERENCE


def min_distinct_values(value_counts: ClassCounts) -> float:
    """Return the smallest number of distinct values over classes."""
    return float(value_counts.distinct.min())


@measures.register(
    ConfidentialInfo(
        id="l-diversity",
        title="l-diversity, distinct",
        summary=(
            "The smallest number of different confidential values among records "
            "(or people, if they are counted) that share all quasi-identifiers. If "
            "the measure is 1, anybody who finds the class knows the value."
        ),
        formula="l = min over classes of |{confidential values in the class}|",
        direction="higher is better",
        unit="values",
        reference=L_DIVERSITY_REFERENCE,
        limits=(1.0, np.inf),
    )
)
def l_diversity(protected: MeasuredRelease) -> Score:
    """Return distinct l of each confidential attribute, and the smallest."""
    return score_per_attribute("l-diversity", protected, min_distinct_values, min)
