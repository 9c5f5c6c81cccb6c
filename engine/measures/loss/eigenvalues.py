"""Eigenvalue difference: whether the principal axes keep their weight."""

from __future__ import annotations

import numpy as np

from engine.core.message import NOTHING, Message
from engine.core.typing import Values
from engine.measures.base import Effort, MeasureInfo, Protected, Score, measures
from engine.measures.judge import sampling
from engine.measures.numbers import NO_NUMBERS, SAMPLED, moments, standard_errors

FLAT = 1e-10
"""Eigenvalues below this share of the largest are 0 but for rounding."""


def _eigenvalues(matrix: Values) -> Values:
    return np.asarray(np.linalg.eigvalsh(matrix), dtype=np.float64)


@measures.register(
    MeasureInfo(
        id="eigenvalues",
        title="Eigenvalue difference",
        family="loss",
        summary=(
            "How much the variation along the principal axes of the standardised data "
            "has changed, summed over the axes; 0 if relations between attributes are "
            "as before."
        ),
        formula="sum over axes of |e_j - e'_j| / e_j",
        direction="lower is better",
        unit="",
        reference=(
            "Templ & Meindl 2008, https://doi.org/10.1007/978-3-540-87471-3_10; "
            "as in sdcMicro's dUtility"
        ),
        aliases=("eigen",),
        baseline=SAMPLED,
        judge=sampling(small=0.05, grave=0.0),
        on_demand=True,
        effort=Effort(microseconds=0.3),
    )
)
def eigenvalues(protected: Protected) -> Score:
    """Return the relative differences of the eigenvalues of the correlations.

    Axes along which the original does not vary, such as those of a sum and its parts,
    have no relative difference and are left out.
    """
    found = moments(protected)
    if not found.names:
        return Score("eigenvalues", float("nan"), note=NO_NUMBERS)
    before = np.linalg.eigvalsh(found.before)[::-1]
    after = np.linalg.eigvalsh(found.after)[::-1]
    there = before > FLAT * before[0]
    value = float((np.abs(before - after)[there] / before[there]).sum())
    left_out = int((~there).sum())
    note = NOTHING
    if left_out:
        note = Message(
            "{count} axis without any variation left out.",
            "{count} axes without any variation left out.",
            count=left_out,
        )
    errors = standard_errors(found.parts, _eigenvalues)[::-1]
    expected = float((errors[there] / before[there]).sum())
    return Score("eigenvalues", value, baseline=expected, note=note)
