"""Interval disclosure: original values close to their released values."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values
from engine.measures.base import MeasuredRelease, RiskInfo, Score, measures
from engine.measures.before_after.numbers import NO_NUMBERS, numeric_pairs
from engine.measures.judge import TOLERANT_CHANCE_JUDGE

INTERVAL_HALF_WIDTH = 0.05
"""Half the width of an interval, in standard deviations of the released values."""


def share_at_risk(before: Values, after: Values, half_widths: Values) -> float:
    """Return the share of records outside at most one interval around released values.

    Parameters
    ----------
    before, after : ndarray of float64, shape (n_records, n_attributes)
        Cells that are missing are NaN and lie outside no interval. With a single
        attribute no cell may lie outside.
    half_widths : ndarray of float64, shape (n_attributes,)
        Half the width of the intervals around `after`.
    """
    outside = (before < after - half_widths) | (before > after + half_widths)
    allowed = 1 if before.shape[1] > 1 else 0
    return float((outside.sum(axis=1) <= allowed).mean())


@measures.register(
    RiskInfo(
        id="interval-disclosure",
        title="Interval disclosure, by standard deviation",
        summary=(
            "The share of records whose original numbers are nearly published. Each "
            "original number must lie within 0.05 standard deviations of the released "
            "number. One attribute of the record may be an exception."
        ),
        formula=(
            "100 * share of records with |x - x'| <= 0.05 s'_j in at least p - 1 "
            "attributes, in the only one where p = 1"
        ),
        reference=(
            "Mateo-Sanz, Sebé & Domingo-Ferrer 2004 (SDID), "
            "https://doi.org/10.1007/978-3-540-25955-8_16; as in sdcMicro's dRisk"
        ),
        aliases=("sdid", "drisk"),
        baseline="The released values of another record, drawn at random.",
        # A useful release is near the original: what harms is judged elsewhere.
        judge=TOLERANT_CHANCE_JUDGE,
    )
)
def interval_disclosure_risk(protected: MeasuredRelease) -> Score:
    """Return the share of records at risk, in per cent.

    The same as sdcMicro's ``dRisk(k = 0.05)`` of two attributes or more; of a single
    one, which sdcMicro lets lie outside, it has to lie inside here.
    """
    points, pairs = protected.points, numeric_pairs(protected)
    if not pairs:
        return Score("interval-disclosure", float("nan"), note=NO_NUMBERS)
    spread = [pair.after.std(ddof=1) if pair.after.size > 1 else 0.0 for pair in pairs]
    half = INTERVAL_HALF_WIDTH * np.array(spread)
    numeric = np.flatnonzero(points.numeric)
    missing = points.missing[:, numeric]
    before = np.where(missing, np.nan, points.values[:, numeric])
    after = np.where(missing, np.nan, protected.as_written[:, numeric])
    others = np.random.default_rng(protected.seed).permutation(len(before))
    return Score(
        "interval-disclosure",
        100.0 * share_at_risk(before, after, half),
        baseline=100.0 * share_at_risk(before[others], after, half),
    )
