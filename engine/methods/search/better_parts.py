"""Combine two partitions: take the better of both in each common part."""

from __future__ import annotations

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Values


def combine_better_parts(
    before: Labels,
    sse_before: Values,
    after: Labels,
    sse_after: Values,
    min_improvement: float,
) -> tuple[Labels, float]:
    """Return the combined labels of two partitions, and the change of SSE, at most 0.

    Groups that share a record belong to the same part. Each part is a union of whole
    groups of either partition, so that each can be taken from the partition that loses
    less there: the outcome is no worse than either (partition crossover: Whitley,
    Hains and Howe 2009, doi:10.1145/1569901.1570026).

    Parameters
    ----------
    before, after : ndarray of int64, shape (n_records,)
        Group of each record; any numbers.
    sse_before, sse_after : ndarray of float64, shape (n_records,)
        SSE of each record's group.
    min_improvement : float
        What counts as no change; parts stay as before where that is all.

    Returns
    -------
    labels : ndarray of int64, shape (n_records,)
        Dense.
    change : float
        SSE less that of `before`, at most 0.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    _, old, a = np.unique(before, return_index=True, return_inverse=True)
    _, new, b = np.unique(after, return_index=True, return_inverse=True)
    b += old.size
    groups = old.size + new.size
    shared = coo_array((np.ones(a.size, dtype=bool), (a, b)), shape=(groups, groups))
    count, part = connected_components(shared, directed=False)
    change = np.bincount(part[old.size :], sse_after[new], count)
    change -= np.bincount(part[: old.size], sse_before[old], count)
    better = change < -min_improvement
    labels = np.unique(np.where(better[part[a]], b, a), return_inverse=True)[1]
    return labels.astype(np.int64), float(change[better].sum())
