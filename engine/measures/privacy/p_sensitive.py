"""p-sensitive k-anonymity: the p that the release has."""

from __future__ import annotations

import numpy as np

from engine.measures import judge
from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.confidential import UNPROTECTED, per_attribute
from engine.measures.privacy.l_diversity import distinct


@measures.register(
    MeasureInfo(
        id="p-sensitive",
        title="p of p-sensitive k-anonymity",
        family="privacy",
        summary=(
            "Each confidential attribute has at least this many different values in "
            "every class of records that share all quasi-identifiers; the same figure "
            "as distinct l-diversity."
        ),
        formula="p = min over classes and attributes of |{values in the class}|",
        direction="higher is better",
        unit="values",
        reference="Truta & Vinay 2006, https://doi.org/10.1109/ICDEW.2006.116",
        limits=(1.0, np.inf),
        baseline=UNPROTECTED,
        judge=judge.UNPROTECTED,
        on_demand=True,
    )
)
def p_sensitive(protected: Protected) -> Score:
    """Return p of each confidential attribute, and the least."""
    return per_attribute("p-sensitive", protected, distinct, min)
