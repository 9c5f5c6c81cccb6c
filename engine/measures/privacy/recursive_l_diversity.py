"""Recursive (c, l)-diversity: dominance of one confidential value in a class."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.confidential import (
    ClassCounts,
    ConfidentialInfo,
    score_per_attribute,
)
from engine.measures.sources import L_DIVERSITY_REFERENCE


def max_dominance(counts: ClassCounts, l: int = 2) -> float:
    """Return the largest r_1 / (r_l + ... + r_m) over classes.

    Parameters
    ----------
    counts : ClassCounts
    l : int
        At least 2.

    Returns
    -------
    float
        (c, l)-diversity holds for every c above it; infinite if a class has fewer
        than l values.
    """
    order = np.lexsort((-counts.counts, counts.classes))
    sorted_counts = counts.counts[order].astype(np.float64)
    distinct = np.bincount(counts.classes)
    starts = np.concatenate([[0], np.cumsum(distinct)[:-1]])
    place = np.arange(order.size) - starts[counts.classes]
    rest = counts.sum_per_class(np.where(place >= l - 1, sorted_counts, 0.0))
    with np.errstate(divide="ignore"):
        return float((sorted_counts[starts] / rest).max())


@measures.register(
    ConfidentialInfo(
        id="recursive-l-diversity",
        title="Recursive (c, l)-diversity",
        summary=(
            "Coterie counts the records with each confidential value in a class, "
            "and sorts these counts, largest first. Coterie adds the count in "
            "place l and all later counts. The largest count is then divided by "
            "this sum. c is the largest of these quotients over all classes. If a "
            "class has fewer than l values, c is infinite. l is 2, unless the plan "
            "sets another l."
        ),
        formula="c = max over classes of r_1 / (r_l + ... + r_m), r falling",
        reference=L_DIVERSITY_REFERENCE,
    )
)
def recursive_l_diversity(protected: MeasuredRelease) -> Score:
    """Return c of each confidential attribute for the plan's l, and the largest."""
    figure = partial(max_dominance, l=protected.recursive_l)
    return score_per_attribute("recursive-l-diversity", protected, figure, max)
