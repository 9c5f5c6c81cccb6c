"""Rank interval disclosure: originals that lie a few ranks around released values."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.numbers import NO_NUMBERS, Pair, Values, pairs

SHARES = np.arange(1, 11) / 100
"""How many ranks an interval reaches to each side, as shares of all records."""


def intervals(after: Values, share: float) -> tuple[Values, Values]:
    """Return the interval around each released value.

    Parameters
    ----------
    after : ndarray of float64, shape (n_records,)
    share : float
        How many ranks it reaches to each side, of all records.

    Returns
    -------
    low, high : ndarray of float64, shape (n_records,)
        Released values at the ends; equal values have the middle of their ranks.
    """
    line = np.sort(after)
    first = np.searchsorted(line, after, side="left")
    last = np.searchsorted(line, after, side="right") - 1
    middle, reach = (first + last) / 2, share * after.size
    begin = np.maximum(np.ceil(middle - reach), 0).astype(np.int64)
    end = np.minimum(np.floor(middle + reach), after.size - 1).astype(np.int64)
    return line[begin], line[end]


def _shares(pair: Pair) -> tuple[float, float]:
    """Return the mean share of records inside, and that of any record by chance."""
    line = np.sort(pair.before)
    inside, chance = [], []
    for share in SHARES:
        low, high = intervals(pair.after, share)
        inside.append(((low <= pair.before) & (pair.before <= high)).mean())
        until = np.searchsorted(line, high, side="right")
        chance.append((until - np.searchsorted(line, low, side="left")).mean())
    return float(np.mean(inside)), float(np.mean(chance)) / line.size


@measures.register(
    MeasureInfo(
        id="rank-interval-disclosure",
        title="Interval disclosure, by rank",
        family="risk",
        summary=(
            "The share of original numbers that lie within a few ranks of the released "
            "ones: 1 to 10 per cent of the records to each side, averaged."
        ),
        formula=(
            "100 * mean over r = 1..10 % and attributes of the share of x within r "
            "ranks of x'"
        ),
        direction="lower is better",
        unit="%",
        reference=(
            "Domingo-Ferrer & Torra 2001, in Confidentiality, Disclosure, and Data "
            "Access, Elsevier; Torra 2017, https://doi.org/10.1007/978-3-319-57358-8"
        ),
        aliases=("rid",),
        limits=(0.0, 100.0),
        baseline="The value of a record drawn at random lies within the interval.",
        on_demand=True,
    )
)
def rank_interval_disclosure(protected: Protected) -> Score:
    """Return the share of values at risk in per cent, and the mean of attributes."""
    inside, chance = {}, {}
    for pair in pairs(protected):
        found = _shares(pair)
        inside[pair.name], chance[pair.name] = (100.0 * share for share in found)
    if not inside:
        return Score("rank-interval-disclosure", float("nan"), note=NO_NUMBERS)
    return Score(
        "rank-interval-disclosure",
        float(np.mean(list(inside.values()))),
        MappingProxyType(inside),
        baseline=float(np.mean(list(chance.values()))),
        baseline_per_column=MappingProxyType(chance),
    )
