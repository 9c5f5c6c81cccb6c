"""Principal component analysis of prepared records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.errors import ParameterError
from engine.core.typing import Values


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Scores, explained shares of variance and loadings of principal components.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_records, n_components)
        Coordinates of each record, centred, in the units of X.
    shares : ndarray of float64, shape (n_components,)
        Share of the total variance that each component explains, 0 to 1.
    loadings : ndarray of float64, shape (n_components, n_attributes)
        Unit vectors; the entry of largest size is positive.
    """

    scores: Values
    shares: Values
    loadings: Values


def principal_components(X: Values, n_components: int = 2) -> PrincipalComponents:
    """Return the first principal components of prepared records.

    Two runs on the same values give the same picture: a component's sign, which the
    mathematics leave open, is chosen so that its largest loading is positive (of
    several equally large, the first). With fewer attributes than components, the
    missing ones are zero.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        On scales that can be compared; see :mod:`engine.points.scaling`.
    n_components : int
        At least 1.

    Raises
    ------
    ParameterError
        If `n_components` is below 1.

    References
    ----------
    Jolliffe (2002), Principal Component Analysis,
    https://doi.org/10.1007/b98835
    """
    if n_components < 1:
        raise ParameterError(
            "The number of components is {n_components}, but must be at least 1.",
            n_components=n_components,
        )
    n, p = X.shape
    centred = X - X.mean(axis=0)
    scatter = centred.T @ centred
    eigenvalues, vectors = np.linalg.eigh(scatter)
    order = np.argsort(-eigenvalues, kind="stable")[:n_components]
    variances = np.maximum(eigenvalues[order], 0.0)
    loadings = np.ascontiguousarray(vectors[:, order].T)
    for row in loadings:
        size = np.abs(row)
        # Rounding must not choose between loadings that are equal in truth.
        largest = int(np.argmax(size >= size.max() * (1.0 - 1e-9)))
        if row[largest] < 0.0:
            row *= -1.0
    total = float(np.trace(scatter))
    shares = variances / total if total > 0.0 else np.zeros_like(variances)
    lacking = n_components - loadings.shape[0]
    return PrincipalComponents(
        np.column_stack([centred @ loadings.T, np.zeros((n, lacking))]),
        np.concatenate([shares, np.zeros(lacking)]),
        np.vstack([loadings, np.zeros((lacking, p))]),
    )
