"""Sampling for expensive measures, and the resulting uncertainty."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.core.message import NO_MESSAGE, Message

Z_95_PERCENT = 1.959963984540054
"""Normal quantile of a two-sided 95 % interval."""


def sample_indices(n: int, limit: int, seed: int) -> NDArray[np.int64]:
    """Return all records, or a random sample of `limit` of them in rising order.

    Parameters
    ----------
    n : int
        Records.
    limit : int
    """
    if n <= limit:
        return np.arange(n, dtype=np.int64)
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(n, limit, replace=False)).astype(np.int64)


def share_interval(share: float, size: float, count: int = 1) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; an exact one of the best of several.

    Parameters
    ----------
    share : float
        From 0 to 1: of successes in the sample, or the mean of numbers from 0 to 1,
        for which the interval is on the safe side.
    size : float
        Records in the sample, or independent ones that say as much.
    count : int
        Shares from which this one was chosen. All their intervals hold together in
        95 %, by Bonferroni's inequality (Dunn 1961), so that they reach into tails
        where Wilson's is too short: those of Clopper and Pearson are taken.

    References
    ----------
    Wilson 1927, https://doi.org/10.1080/01621459.1927.10502953
    Clopper & Pearson 1934, https://doi.org/10.1093/biomet/26.4.404
    Dunn 1961, https://doi.org/10.1080/01621459.1961.10482090
    """
    if count > 1:
        from scipy.special import betaincinv

        hits, tail = share * size, 0.025 / count
        low = betaincinv(hits, size - hits + 1.0, tail) if hits > 0.0 else 0.0
        high = betaincinv(hits + 1.0, size - hits, 1.0 - tail) if hits < size else 1.0
        return float(low), float(high)
    shrink = 1.0 + Z_95_PERCENT * Z_95_PERCENT / size
    centre = (share + Z_95_PERCENT * Z_95_PERCENT / (2 * size)) / shrink
    spread = share * (1.0 - share) / size + Z_95_PERCENT * Z_95_PERCENT / (
        4 * size * size
    )
    half = Z_95_PERCENT * math.sqrt(spread) / shrink
    return max(0.0, centre - half), min(1.0, centre + half)


def sampling_note(size: int, n: int) -> Message:
    """Return the sentence that says how much was looked at; empty if all of it."""
    if size >= n:
        return NO_MESSAGE
    return Message("Estimated from {size:,} of {all:,} records.", size=size, all=n)
