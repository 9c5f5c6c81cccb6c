"""Entropy l-diversity: how evenly confidential values are spread within a class."""

from __future__ import annotations

import numpy as np

from engine.measures import judge
from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.confidential import UNPROTECTED, Counts, per_attribute
from engine.measures.sources import L_DIVERSITY


def effective(counts: Counts) -> float:
    """Return exp(entropy) of the class where it is least."""
    shares = counts.shares
    entropies = counts.per_class(-shares * np.log(shares))
    return float(np.exp(max(entropies.min(), 0.0)))


@measures.register(
    MeasureInfo(
        id="entropy-l-diversity",
        title="l-diversity, entropy",
        family="privacy",
        summary=(
            "As many equally frequent confidential values would be as hard to guess "
            "as those of the least varied class."
        ),
        formula="l = min over classes of exp(-sum over values of q * ln q)",
        direction="higher is better",
        unit="values",
        reference=L_DIVERSITY,
        limits=(1.0, np.inf),
        baseline=UNPROTECTED,
        judge=judge.UNPROTECTED,
        on_demand=True,
    )
)
def entropy_l_diversity(protected: Protected) -> Score:
    """Return entropy l of each confidential attribute, and the least."""
    return per_attribute("entropy-l-diversity", protected, effective, min)
