"""Naive scores: many attributes as one number per record."""

import numpy as np

from engine.core.typing import Values


def weighted_sum(X: Values, weights: Values) -> Values:
    """Sum of centred values times weights; what ties but for rounding ties here."""
    centred = X - X.mean(axis=0)
    scores = np.array([sum(map(float, row), 0.0) for row in centred * weights])
    rounding = 64 * np.finfo(float).eps * np.abs(X * weights).max()
    unit = max(1e-12 * np.abs(centred * weights).max(), rounding)
    return np.array([round(s) for s in scores / unit]) * unit if unit > 0 else scores


def zscore_sum(X: Values) -> Values:
    """Sum of z-scores; a constant attribute has none."""
    weights = [
        1 / column.std()
        if column.std() > 64 * np.finfo(float).eps * np.abs(column).max()
        else 0.0
        for column in X.T
    ]
    return weighted_sum(X, np.array(weights))


def first_component(X: Values) -> Values:
    """Score on the direction of largest variance, its largest loading positive."""
    centred = X - X.mean(axis=0)
    variances, directions = np.linalg.eigh(centred.T @ centred)
    loading = directions[:, int(np.argmax(variances))]
    size = np.abs(loading)
    largest = next(j for j in range(len(size)) if size[j] >= size.max() * (1 - 1e-9))
    return weighted_sum(X, loading if loading[largest] > 0 else -loading)
