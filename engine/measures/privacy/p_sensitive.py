"""p-sensitive k-anonymity."""

from __future__ import annotations

import numpy as np

from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.confidential import ConfidentialInfo, score_per_attribute
from engine.measures.privacy.l_diversity import min_distinct_values


@measures.register(
    ConfidentialInfo(
        id="p-sensitive",
        title="p of p-sensitive k-anonymity",
        summary=(
            "The smallest number of different values that a confidential attribute has "
            "in a class. A class is all records that share all quasi-identifiers. This "
            "measure equals distinct l-diversity."
        ),
        formula="p = min over classes and attributes of |{values in the class}|",
        direction="higher is better",
        unit="values",
        reference="Truta & Vinay 2006, https://doi.org/10.1109/ICDEW.2006.116",
        limits=(1.0, np.inf),
    )
)
def p_sensitive(protected: MeasuredRelease) -> Score:
    """Return p of each confidential attribute, and the smallest."""
    return score_per_attribute("p-sensitive", protected, min_distinct_values, min)
