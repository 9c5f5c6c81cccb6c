"""Agreement weights of probabilistic record linkage, by the EM algorithm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Values

Levels = NDArray[np.int64]

MAX_EM_ROUNDS = 300
"""Steps of EM, at most."""

CONVERGENCE_TOLERANCE = 1e-6
"""Steps that move no probability further than this are the last."""

MIN_PROBABILITY = 1e-6
"""No level of agreement is less probable than this, whatever was seen."""

INITIAL_PROBABILITIES = (0.6, 0.3, 0.09, 0.01)
"""How often a match is the same, close, near and apart, before anything is learnt."""

N_LEVELS = len(INITIAL_PROBABILITIES)
"""Levels of agreement."""


def distinct_patterns(
    levels: NDArray[np.int8], counts: Values
) -> tuple[Levels, Values]:
    """Return the distinct patterns of agreement levels, and their counts.

    Parameters
    ----------
    levels : ndarray of int8, shape (n_attributes, n_pairs)
        0 where an attribute is the same, 1 where close, 2 where near, 3 where apart.
    counts : ndarray of float64, shape (n_pairs,)
        How many pairs of records each column of `levels` stands for.

    Returns
    -------
    found : ndarray of int64, shape (n_attributes, n_patterns)
    counts : ndarray of float64, shape (n_patterns,)
    """
    codes = np.zeros(levels.shape[1], dtype=np.int64)
    for j, level in enumerate(levels):
        if j and j % 15 == 0:  # 4^15 times the number of pairs is below 2^63
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
        codes = codes * N_LEVELS + level
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    totals = np.bincount(inverse, counts).astype(np.float64)
    return levels[:, first].astype(np.int64), totals


def agreement_weights(levels: Levels, counts: Values, share: float) -> Values:
    """Return the weight of each level of agreement by attribute, from EM.

    Parameters
    ----------
    levels, counts
        What :func:`distinct_patterns` gives.
    share : float
        Share of pairs that are matches; known, as each record has one.

    Returns
    -------
    ndarray of float64, shape (n_attributes, 4)
        log(m / u), where m is the probability of the level in matches and u in all
        pairs, of which almost none is a match.

    References
    ----------
    Fellegi & Sunter 1969, https://doi.org/10.1080/01621459.1969.10501049, with
    attributes that agree independently of each other; Jaro 1989,
    https://doi.org/10.1080/01621459.1989.10478785, for EM.
    """
    u = _em_probabilities(levels, counts)
    m = np.tile(INITIAL_PROBABILITIES, (len(levels), 1))
    prior = np.log(share / (1.0 - share))
    for _ in range(MAX_EM_ROUNDS):
        odds = np.full(counts.size, prior)
        for level, weight in zip(levels, np.log(m / u), strict=True):
            odds += weight[level]
        matches = counts / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0)))
        probabilities = _em_probabilities(levels, matches)
        moved = float(np.abs(probabilities - m).max())
        m = probabilities
        if moved < CONVERGENCE_TOLERANCE:
            break
    weights: Values = np.log(m / u)
    return weights


def _em_probabilities(levels: Levels, counts: Values) -> Values:
    """Return how probable each level of each attribute is, (n_attributes, 4)."""
    level_counts = np.array([np.bincount(level, counts, N_LEVELS) for level in levels])
    probabilities: Values = np.maximum(level_counts / counts.sum(), MIN_PROBABILITY)
    return probabilities
