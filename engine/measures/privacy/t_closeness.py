"""t-closeness: how far a class's confidential values differ from those of the table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.confidential import UNPROTECTED, Counts, per_attribute

Values = NDArray[np.float64]


def equal_distances(counts: Counts) -> Values:
    """Return each class's distance from the table, all values equally far apart.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        Half the sum of the absolute differences of shares.
    """
    shares, overall = counts.shares, counts.overall[counts.codes]
    here = counts.per_class(np.abs(shares - overall))
    elsewhere = 1.0 - counts.per_class(overall)
    found: Values = np.maximum((here + elsewhere) / 2, 0.0)
    return found


def ordered_distances(counts: Counts) -> Values:
    """Return each class's earth mover's distance from the table, values in a row.

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
    overall = np.cumsum(counts.overall)
    sums = np.concatenate([[0.0], np.cumsum(overall)])
    ends = np.cumsum(np.bincount(counts.classes))
    starts = np.concatenate([[0], ends[:-1]])
    running = np.cumsum(counts.counts)
    before = np.concatenate([[0], running])[starts]
    level = (running - before[counts.classes]) / counts.sizes[counts.classes]
    stop = np.append(counts.codes[1:], m)
    stop[ends - 1] = m
    moved = counts.per_class(_stretch(overall, sums, counts.codes, stop, level))
    first = counts.codes[starts]
    moved += sums[first]  # up to its first value a class has nothing
    found: Values = moved / (m - 1)
    return found


def _stretch(
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
    found: Values = below + above
    return found


def distances(counts: Counts) -> Values:
    """Return each class's distance by the kind of the attribute, (n_classes,)."""
    return ordered_distances(counts) if counts.ordered else equal_distances(counts)


def farthest(counts: Counts) -> float:
    """Return t: the distance of the farthest class."""
    return float(distances(counts).max())


@measures.register(
    MeasureInfo(
        id="t-closeness",
        title="t-closeness",
        family="privacy",
        summary=(
            "How far the confidential values of a class are from those of the whole "
            "table, in the class where they are farthest: 0 if whoever finds a class "
            "learns nothing."
        ),
        formula=(
            "t = max over classes of EMD(class, table): "
            "sum_i |Q_i - P_i| / (m - 1) of cumulative shares for ordered values, "
            "sum_i |q_i - p_i| / 2 for categories"
        ),
        direction="lower is better",
        unit="",
        reference="Li, Li & Venkatasubramanian 2007, "
        "https://doi.org/10.1109/ICDE.2007.367856",
        limits=(0.0, 1.0),
        baseline=UNPROTECTED,
        on_demand=True,
    )
)
def t_closeness(protected: Protected) -> Score:
    """Return t of each confidential attribute, and the largest."""
    return per_attribute("t-closeness", protected, farthest, max)
