"""Link equal records, so that searches visit only the lowest-numbered remaining one."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel


def previous_equal_record(X: Values) -> Integers:
    """Return for each record the last earlier record with equal values, else -1.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)

    Returns
    -------
    ndarray of int64, shape (n_records,)
    """
    order = np.lexsort(X.T)  # stable: equal records stay in rising order
    equal = (X[order[1:]] == X[order[:-1]]).all(axis=1)
    lower = np.full(X.shape[0], -1, dtype=np.int64)
    lower[order[1:][equal]] = order[:-1][equal]
    return lower


@kernel
def has_earlier_equal(previous_equal: Integers, slot: Integers, i: int) -> bool:
    """Drop links of i to records that left; return whether an earlier equal stays.

    Parameters
    ----------
    previous_equal : ndarray of int64, shape (n_records,)
        From :func:`previous_equal_record`; links to records that left are taken out.
    slot : ndarray of int64, shape (n_records,)
        Negative for records that left.
    i : int
        A record that remains.
    """
    while previous_equal[i] >= 0 and slot[previous_equal[i]] < 0:
        previous_equal[i] = previous_equal[previous_equal[i]]
    return bool(previous_equal[i] >= 0)
