"""Project records to one score: z-score sum, principal component, weights."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values

SCORE_TOLERANCE = 1e-12
"""Scores are told apart down to this share of the largest value.

Scores that are equal in exact arithmetic must not differ by rounding: the record with
the lower number comes first, on every machine.
"""


def zscore_sum(X: Values) -> Values:
    """Return the sum of each record's z-scores, shape (n_records,).

    A constant attribute adds nothing.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    """
    scale = X.std(axis=0)
    noise = 64 * np.finfo(np.float64).eps * np.abs(X).max(axis=0)
    weights = np.zeros_like(scale)
    np.divide(1.0, scale, out=weights, where=scale > noise)
    return weighted_sum(X, weights)


def first_component_scores(X: Values) -> Values:
    """Return each record's score on the first principal component, (n_records,).

    Its sign is that which makes the largest loading positive.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    """
    # Here, because this module is imported by methods, and that one by plans.
    from engine.core.numerics.principal import principal_components

    return weighted_sum(X, principal_components(X, 1).loadings[0])


def main_axis(covariance: Values) -> Values:
    """Return the unit vector of largest variance, shape (n_attributes,).

    Its largest entry is positive.

    Parameters
    ----------
    covariance : ndarray of float64, shape (n_attributes, n_attributes)
    """
    axis = np.ascontiguousarray(np.linalg.eigh(covariance)[1][:, -1])
    size = np.abs(axis)
    largest = int(np.argmax(size >= size.max() * (1.0 - 1e-9)))
    return axis if axis[largest] > 0.0 else -axis


def weighted_sum(X: Values, weights: Values) -> Values:
    """Return the weighted sum of each record's centred values, rounded to keep ties.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    weights : ndarray of float64, shape (n_attributes,)

    Returns
    -------
    ndarray of float64, shape (n_records,)
        Rounded to :data:`SCORE_TOLERANCE` of the largest product that was added.
    """
    products = (X - X.mean(axis=0)) * weights
    total = np.zeros(X.shape[0])
    for column in products.T:
        total += column
    noise = 64 * np.finfo(np.float64).eps * np.abs(X * weights).max()
    unit = max(SCORE_TOLERANCE * np.abs(products).max(), noise)
    return np.round(total / unit) * unit if unit > 0.0 else total
