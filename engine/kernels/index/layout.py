"""Write groups one after another in one list of records, and their means."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel


@kernel
def concatenate_groups(
    order: Integers, starts: Integers, group_order: Integers, grouped_records: Integers
) -> None:
    """Write the records of groups one after another, in a given order of groups.

    Parameters
    ----------
    order : ndarray of int64, shape (n_records,)
        Group g is ``order[starts[g] : starts[g + 1]]``.
    starts : ndarray of int64, shape (n_groups + 1,)
    group_order : ndarray of int64, shape (n_groups,)
        The group that comes first, second, ...
    grouped_records : ndarray of int64, shape (n_records,)
        Receives the records.
    """
    place = 0
    for g in group_order:
        for t in range(starts[g], starts[g + 1]):
            grouped_records[place] = order[t]
            place += 1


@kernel
def write_group_means(
    X: Values, order: Integers, starts: Integers, means: Values
) -> None:
    """Write the mean of each group, summed in the order of its records.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    order, starts : ndarray of int64
        As in :func:`concatenate_groups`.
    means : ndarray of float64, shape (n_groups, n_attributes)
    """
    for g in range(means.shape[0]):
        size = starts[g + 1] - starts[g]
        for j in range(X.shape[1]):
            total = 0.0
            for t in range(starts[g], starts[g + 1]):
                total += X[order[t], j]
            means[g, j] = total / size
