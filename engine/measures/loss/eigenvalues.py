"""Change of the eigenvalues of the correlation matrix."""

from __future__ import annotations

import numpy as np

from engine.core.message import NO_MESSAGE, Message
from engine.core.typing import Values
from engine.measures.base import MeasureCost, MeasuredRelease, Score, measures
from engine.measures.before_after.numbers import (
    NO_NUMBERS,
    NumericChangeInfo,
    correlation_moments,
    jackknife_errors,
)
from engine.measures.judge import sampling_judge

MIN_EIGENVALUE_SHARE = 1e-10
"""Eigenvalues below this share of the largest are 0 but for rounding."""


def _sorted_eigenvalues(matrix: Values) -> Values:
    return np.asarray(np.linalg.eigvalsh(matrix), dtype=np.float64)


@measures.register(
    NumericChangeInfo(
        id="eigenvalues",
        title="Eigenvalue difference",
        summary=(
            "Coterie divides each attribute by its standard deviation. The "
            "principal axes are the directions in which the records then vary "
            "most. Along each axis, Coterie calculates the relative change of the "
            "variance. The measure is the sum of these changes. 0 means that the "
            "relations between attributes are as before."
        ),
        formula="sum over axes of |e_j - e'_j| / e_j",
        reference=(
            "Templ & Meindl 2008, https://doi.org/10.1007/978-3-540-87471-3_10; "
            "as in sdcMicro's dUtility"
        ),
        aliases=("eigen",),
        judge=sampling_judge(small=0.05),
        effort=MeasureCost(microseconds=0.3),
    )
)
def eigenvalue_difference(protected: MeasuredRelease) -> Score:
    """Return the sum of relative changes of the correlation matrix's eigenvalues.

    Axes along which the original does not vary, such as those of a sum and its parts,
    have no relative difference and are left out.
    """
    moments = correlation_moments(protected)
    if not moments.names:
        return Score("eigenvalues", float("nan"), note=NO_NUMBERS)
    before = np.linalg.eigvalsh(moments.before)[::-1]
    after = np.linalg.eigvalsh(moments.after)[::-1]
    is_varying = before > MIN_EIGENVALUE_SHARE * before[0]
    value = float((np.abs(before - after)[is_varying] / before[is_varying]).sum())
    n_constant_axes = int((~is_varying).sum())
    note = NO_MESSAGE
    if n_constant_axes:
        note = Message(
            "{count} axis without any variation left out.",
            "{count} axes without any variation left out.",
            count=n_constant_axes,
        )
    errors = jackknife_errors(moments.parts, _sorted_eigenvalues)[::-1]
    expected = float((errors[is_varying] / before[is_varying]).sum())
    return Score("eigenvalues", value, baseline=expected, note=note)
