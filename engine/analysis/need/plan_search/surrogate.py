"""Predicted scores of untried plans from tried ones, by a Gaussian process.

Which groups a plan gives is partly luck: a small change of its weights changes what a
regression on the release says by more than the weights themselves do. Predictions
average over that luck, and so lead to where good releases are frequent.
"""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values

LENGTHS = (0.7, 1.4, 2.8)
"""Distances over which plans resemble each other; the likeliest is taken."""

NOISE_SHARES = (0.1, 0.5)
"""Shares of the variance that are luck; the likeliest is taken."""

MAX_POINTS = 300
"""Tried plans that a prediction is made from, the latest ones."""


def predict_score_means_and_sds(
    tried_values: Values, scores: Values, candidates: Values
) -> tuple[Values, Values]:
    """Return the predicted mean and standard deviation of each candidate's score.

    Parameters
    ----------
    tried_values : ndarray of float64, shape (n_tried, n_features)
    scores : ndarray of float64, shape (n_tried,)
    candidates : ndarray of float64, shape (n_candidates, n_features)

    Returns
    -------
    ndarray of float64, shape (n_candidates,), twice
        Without the luck of a single plan. Source: Rasmussen and Williams 2006,
        equations 2.25, 2.26 and 2.30, http://gaussianprocess.org/gpml.
    """
    tried_values, scores = tried_values[-MAX_POINTS:], scores[-MAX_POINTS:]
    centre, variance = scores.mean(), max(float(scores.var()), 1e-12)
    y = scores - centre
    sq_dist = _sq_distances(tried_values, tried_values)
    most_likely = -np.inf
    length, signal = LENGTHS[0], variance
    factor: Values = np.eye(len(y))
    for distance in LENGTHS:
        similar = variance * np.exp(-0.5 * sq_dist / distance**2)
        for share in NOISE_SHARES:
            K = (1.0 - share) * similar + share * variance * np.eye(len(y))
            root = np.asarray(np.linalg.cholesky(K), dtype=np.float64)
            half = np.linalg.solve(root, y)
            likelihood = float(-0.5 * half @ half - np.log(np.diag(root)).sum())
            if likelihood > most_likely:
                most_likely = likelihood
                length, signal, factor = distance, (1.0 - share) * variance, root
    across = signal * np.exp(-0.5 * _sq_distances(candidates, tried_values) / length**2)
    halves = np.linalg.solve(factor, across.T)
    mean = centre + halves.T @ np.linalg.solve(factor, y)
    residual_variance = np.maximum(signal - (halves**2).sum(axis=0), 0.0)
    return mean, np.sqrt(residual_variance)


def _sq_distances(first: Values, second: Values) -> Values:
    return np.asarray(((first[:, None, :] - second[None, :, :]) ** 2).sum(axis=2))
