"""Discernibility: with how many records each one shares its group."""

from __future__ import annotations

import numpy as np

from engine.measures.base import MeasureInfo, Protected, Score, measures


@measures.register(
    MeasureInfo(
        id="discernibility",
        title="Discernibility (DM)",
        family="loss",
        summary=(
            "Every record costs as much as its group has records; n times k is the "
            "least that groups of k can cost."
        ),
        formula="DM = sum over groups of size^2",
        direction="lower is better",
        unit="",
        reference="Bayardo & Agrawal 2005, https://doi.org/10.1109/ICDE.2005.42",
        aliases=("dm",),
    )
)
def discernibility(protected: Protected) -> Score:
    """Return the sum of the squared group sizes; records left out do not count."""
    sizes = protected.partition.sizes
    return Score("discernibility", float(np.square(sizes).sum()))
