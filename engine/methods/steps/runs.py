"""Form runs of k records along an order."""

from __future__ import annotations

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Integers
from engine.methods.descriptions.info import Reference

SDCMICRO_REFERENCE = Reference(
    "Templ M, Kowarik A, Meindl B (2015). Statistical disclosure control for "
    "micro-data using the R package sdcMicro. Journal of Statistical Software 67(4), "
    "1-36.",
    doi="10.18637/jss.v067.i04",
)
"""Where sorting methods are described that other texts do not name."""


def label_fixed_runs(order: Integers, k: int) -> Labels:
    """Return labels of runs of k records along an order, the last up to 2k-1.

    Parameters
    ----------
    order : ndarray of int64, shape (n_records,)
        Every record once; at least k of them.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Group of each record, in the order of the records.
    """
    n = order.size
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.minimum(np.arange(n) // k, n // k - 1)
    return labels
