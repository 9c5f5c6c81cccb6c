"""t-closeness: distance of confidential values between classes and the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Values
from engine.measures.base import MeasuredRelease, Score, measures
from engine.measures.confidential import (
    ClassCounts,
    ConfidentialInfo,
    score_per_attribute,
)


@dataclass(frozen=True, eq=False)
class TableDistribution:
    """Distribution of an attribute's values in the whole table.

    Attributes
    ----------
    shares : ndarray of float64, shape (n_codes,)
        Share of each value.
    ordered : bool
        Whether the values' order means something.
    """

    shares: Values
    ordered: bool

    @classmethod
    def from_codes(
        cls, codes: NDArray[np.int64], ordered: bool, weights: Values | None = None
    ) -> TableDistribution:
        """Return the weighted distribution of all records' values."""
        counts = np.bincount(codes, weights)
        return cls(counts / counts.sum(), ordered)

    @cached_property
    def cumulative_shares(self) -> Values:
        """Cumulative shares, shape (n_codes,)."""
        running_shares: Values = np.cumsum(self.shares)
        return running_shares

    @cached_property
    def sums_of_cumulative(self) -> Values:
        """Sums of the cumulative shares before each value, shape (n_codes + 1,)."""
        return np.concatenate([[0.0], np.cumsum(self.cumulative_shares)])

    def class_distance(
        self, codes: NDArray[np.int64], counts: NDArray[np.int64] | Values
    ) -> float:
        """Return the distance of one class's distribution from the table's.

        Parameters
        ----------
        codes, counts : ndarray of int64, shape (n_distinct,)
            Its values, rising, and how often each comes.
        """
        m = self.shares.size
        if m == 1:
            return 0.0
        size = counts.sum()
        if not self.ordered:
            expected = self.shares[codes]
            total_difference = float(np.abs(counts / size - expected).sum())
            return max(0.0, (total_difference + 1.0 - float(expected.sum())) / 2)
        level, stop = np.cumsum(counts) / size, np.append(codes[1:], m)
        moved = _sum_abs_differences(
            self.cumulative_shares, self.sums_of_cumulative, codes, stop, level
        ).sum()
        return float(moved + self.sums_of_cumulative[codes[0]]) / (m - 1)


def equal_distances(counts: ClassCounts) -> Values:
    """Return each class's distance from the table, for unordered values.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        Half the sum of the absolute differences of shares.
    """
    shares, overall = counts.class_shares, counts.table_shares[counts.codes]
    class_differences = counts.sum_per_class(np.abs(shares - overall))
    absent_shares = 1.0 - counts.sum_per_class(overall)
    distances: Values = np.maximum((class_differences + absent_shares) / 2, 0.0)
    return distances


def ordered_distances(counts: ClassCounts) -> Values:
    """Return each class's earth mover's distance from the table, for ordered values.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        Sum over values of the absolute differences of cumulative shares, divided by
        the number of values less one.

    Notes
    -----
    Between two values of a class its cumulative share is constant and that of the
    table rises, so a stretch is two sums: where the table's is below, and above.
    """
    m, n_classes = counts.n_codes, counts.sizes.size
    if m == 1:
        return np.zeros(n_classes)
    table = TableDistribution(counts.table_shares, True)
    ends = np.cumsum(np.bincount(counts.classes))
    starts = np.concatenate([[0], ends[:-1]])
    running = np.cumsum(counts.counts)
    before = np.concatenate([[0], running])[starts]
    level = (running - before[counts.classes]) / counts.sizes[counts.classes]
    stop = np.append(counts.codes[1:], m)
    stop[ends - 1] = m
    moved = counts.sum_per_class(
        _sum_abs_differences(
            table.cumulative_shares, table.sums_of_cumulative, counts.codes, stop, level
        )
    )
    first = counts.codes[starts]
    moved += table.sums_of_cumulative[
        first
    ]  # up to its first value a class has nothing
    distances: Values = moved / (m - 1)
    return distances


def _sum_abs_differences(
    overall: Values,
    sums: Values,
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    level: Values,
) -> Values:
    """Return the sums of ``|level - overall[i]|`` over start <= i < stop."""
    cross = np.clip(np.searchsorted(overall, level, side="right"), start, stop)
    below = level * (cross - start) - (sums[cross] - sums[start])
    above = sums[stop] - sums[cross] - level * (stop - cross)
    difference_sums: Values = below + above
    return difference_sums


def class_distances(counts: ClassCounts) -> Values:
    """Return each class's distance from the table, (n_classes,), ordered or not."""
    return ordered_distances(counts) if counts.ordered else equal_distances(counts)


def largest_class_distance(counts: ClassCounts) -> float:
    """Return t: the largest distance of a class from the table."""
    return float(class_distances(counts).max())


@measures.register(
    ConfidentialInfo(
        id="t-closeness",
        title="t-closeness",
        summary=(
            "The distance between the confidential values of a class and of the "
            "whole table, for the class with the largest distance. 0 means that "
            "finding a class reveals nothing."
        ),
        formula=(
            "t = max over classes of EMD(class, table): "
            "sum_i |Q_i - P_i| / (m - 1) of cumulative shares for ordered values, "
            "sum_i |q_i - p_i| / 2 for categories"
        ),
        reference="Li, Li & Venkatasubramanian 2007, "
        "https://doi.org/10.1109/ICDE.2007.367856",
        limits=(0.0, 1.0),
    )
)
def t_closeness(protected: MeasuredRelease) -> Score:
    """Return t of each confidential attribute, and the largest."""
    return score_per_attribute("t-closeness", protected, largest_class_distance, max)
