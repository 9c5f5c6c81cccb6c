"""Weights of agreement: learnt from which attributes agree, without knowing a match."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

ROUNDS = 500
"""Steps of EM, at most."""

LEAST = 1e-6
"""No level of agreement is less probable than this, whatever was seen."""

START = (0.9, 0.09, 0.01)
"""How often a match agrees, nearly agrees and disagrees, before anything is learnt."""


def patterns(levels: NDArray[np.int8], counts: Values) -> tuple[Values, Values]:
    """Return the different rows of levels, and how often each comes.

    Parameters
    ----------
    levels : ndarray of int8, shape (n_pairs, n_attributes)
        0 where an attribute agrees, 1 where nearly so, 2 where it does not.
    counts : ndarray of float64, shape (n_pairs,)
        How many pairs of records each row stands for.

    Returns
    -------
    agrees : ndarray of float64, shape (n_patterns, n_attributes, 3)
        1 at the level of each attribute, 0 at the others.
    counts : ndarray of float64, shape (n_patterns,)
    """
    codes = np.zeros(len(levels), dtype=np.int64)
    for j in range(levels.shape[1]):
        if j and j % 20 == 0:  # 3^20 times the number of pairs is below 2^63
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
            codes = codes.astype(np.int64)
        codes = codes * 3 + levels[:, j]
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    agrees = (levels[first][:, :, np.newaxis] == np.arange(3)).astype(np.float64)
    totals = np.bincount(inverse.reshape(-1), counts).astype(np.float64)
    return agrees, totals


def learnt_weights(agrees: Values, counts: Values, share: float) -> Values:
    """Return the weight of each level of agreement, by EM.

    Parameters
    ----------
    agrees, counts
        What :func:`patterns` gives.
    share : float
        Share of pairs that are matches; known, as each record has one.

    Returns
    -------
    ndarray of float64, shape (n_attributes, 3)
        log(m / u), where m is the probability of the level in matches and u in all
        pairs, of which almost none is a match.

    References
    ----------
    Fellegi & Sunter 1969, https://doi.org/10.1080/01621459.1969.10501049, with
    attributes that agree independently of each other; Jaro 1989,
    https://doi.org/10.1080/01621459.1989.10478785, for EM.
    """
    u = np.maximum(np.tensordot(counts, agrees, 1) / counts.sum(), LEAST)
    m = np.tile(START, (agrees.shape[1], 1))
    prior = np.log(share / (1.0 - share))
    for _ in range(ROUNDS):
        odds = np.tensordot(agrees, np.log(m / u), 2) + prior
        matches = counts / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0)))
        found = np.maximum(np.tensordot(matches, agrees, 1) / matches.sum(), LEAST)
        moved = float(np.abs(found - m).max())
        m = found
        if moved < 1e-8:
            break
    weights: Values = np.log(m / u)
    return weights
