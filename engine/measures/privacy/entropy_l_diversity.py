"""Entropy l-diversity: evenness of confidential values within classes."""

from __future__ import annotations

import numpy as np

from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.confidential import (
    ClassCounts,
    ConfidentialInfo,
    score_per_attribute,
)
from engine.measures.sources import L_DIVERSITY_REFERENCE


def min_effective_values(counts: ClassCounts) -> float:
    """Return the smallest exp(entropy) of confidential values over classes."""
    shares = counts.class_shares
    entropies = counts.sum_per_class(-shares * np.log(shares))
    return float(np.exp(max(entropies.min(), 0.0)))


@measures.register(
    ConfidentialInfo(
        id="entropy-l-diversity",
        title="l-diversity, entropy",
        summary=(
            "For each class, l is the number of equally frequent values that are "
            "as hard to guess as the confidential values. The measure is the "
            "smallest l of all classes. For example, if l is 2, the value is as "
            "hard to guess as the result of tossing a coin."
        ),
        formula="l = min over classes of exp(-sum over values of q * ln q)",
        direction="higher is better",
        unit="values",
        reference=L_DIVERSITY_REFERENCE,
        limits=(1.0, np.inf),
    )
)
def entropy_l_diversity(protected: MeasuredRelease) -> Score:
    """Return entropy l of each confidential attribute, and the smallest."""
    return score_per_attribute(
        "entropy-l-diversity", protected, min_effective_values, min
    )
