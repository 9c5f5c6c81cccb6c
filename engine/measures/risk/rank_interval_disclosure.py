"""Rank interval disclosure: originals within a few ranks of released values."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from engine.core.typing import Integers, Values
from engine.measures.base import MeasureCost, MeasuredRelease, RiskInfo, Score, measures
from engine.measures.before_after.numbers import NO_NUMBERS, NumericPair, numeric_pairs
from engine.measures.judge import TOLERANT_CHANCE_JUDGE
from engine.measures.sources import DISCLOSURE_REFERENCE

RANK_SHARES = np.arange(1, 11) / 100
"""How many ranks an interval reaches to each side, as shares of all records."""


@dataclass(frozen=True, eq=False)
class ReleasedRanks:
    """Ranks of the released values of one attribute.

    Attributes
    ----------
    line : ndarray of float64, shape (n_records,)
        Released values, rising.
    middle : ndarray of float64, shape (n_records,)
        Rank of each record's value; equal values have the middle of their ranks.
    """

    line: Values
    middle: Values

    @classmethod
    def from_values(cls, after: Values) -> ReleasedRanks:
        """Return the ranks of released values, shape (n_records,)."""
        line, places = np.unique(after, return_inverse=True)
        counts = np.bincount(places)
        middle = np.cumsum(counts) - (counts + 1) / 2
        return cls(np.repeat(line, counts), middle[places])

    def interval_ends(self, share: float) -> tuple[Integers, Integers]:
        """Return the first and last rank of the interval around each value.

        Parameters
        ----------
        share : float
            How many ranks it reaches to each side, of all records.

        Returns
        -------
        first, last : ndarray of int64, shape (n_records,)
        """
        n = self.line.size
        low = np.maximum(np.ceil(self.middle - share * n), 0)
        high = np.minimum(np.floor(self.middle + share * n), n - 1)
        return low.astype(np.int64), high.astype(np.int64)


def _inside_shares(pair: NumericPair) -> tuple[float, float]:
    """Return the mean share of records inside, and that of any record by chance."""
    ranks, line = ReleasedRanks.from_values(pair.after), np.sort(pair.before)
    below = np.searchsorted(line, ranks.line, side="left")
    until = np.searchsorted(line, ranks.line, side="right")
    inside, chance = [], []
    for share in RANK_SHARES:
        first, last = ranks.interval_ends(share)
        low, high = ranks.line[first], ranks.line[last]
        inside.append(((low <= pair.before) & (pair.before <= high)).mean())
        chance.append((until[last] - below[first]).mean())
    return float(np.mean(inside)), float(np.mean(chance)) / line.size


@measures.register(
    RiskInfo(
        id="rank-interval-disclosure",
        title="Interval disclosure, by rank",
        summary=(
            "Coterie sorts the released numbers. In this order, the ends of a "
            "number's interval lie r % of all places below and above the number. "
            "For each r from 1 to 10, Coterie calculates the share of original "
            "numbers that lie in their interval. The measure is the mean of these "
            "ten shares."
        ),
        formula=(
            "100 * mean over r = 1..10 % and attributes of the share of x between the "
            "released values r n ranks below and above x', equal ones at their middle "
            "rank"
        ),
        reference=DISCLOSURE_REFERENCE,
        aliases=("rid",),
        baseline="The share of random records whose value lies in the interval.",
        # A useful release is near the original: what harms is judged elsewhere.
        judge=TOLERANT_CHANCE_JUDGE,
        effort=MeasureCost(microseconds=0.2),
    )
)
def rank_interval_disclosure(protected: MeasuredRelease) -> Score:
    """Return the share of values at risk in per cent, by attribute and on average."""
    inside, chance = {}, {}
    for pair in numeric_pairs(protected):
        shares = _inside_shares(pair)
        inside[pair.name], chance[pair.name] = (100.0 * share for share in shares)
    if not inside:
        return Score("rank-interval-disclosure", float("nan"), note=NO_NUMBERS)
    return Score(
        "rank-interval-disclosure",
        float(np.mean(list(inside.values()))),
        MappingProxyType(inside),
        baseline=float(np.mean(list(chance.values()))),
        baseline_per_column=MappingProxyType(chance),
    )
