"""Robust location and scatter of records (MCD), also if half of them are equal."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from engine.core.typing import Values

MIN_VARIANCE_SHARE = 1e-6
"""Share of the variance of all records below which half of them do not differ."""

DISTANCE_TOLERANCE = 1e-9
"""Squared distances are told apart down to this share of the largest one."""


@dataclass(frozen=True, eq=False)
class RobustSpread:
    """Robust centre and covariance of records, with whitening axes.

    Attributes
    ----------
    centre : ndarray of float64, shape (n_attributes,)
    axes : ndarray of float64, shape (n_directions, n_attributes)
        Rows by which centred records are multiplied: along each, most of them have
        variance 1, and no two are correlated. No rows where all records are equal.
    covariance : ndarray of float64, shape (n_attributes, n_attributes)
    singular : bool
        In some direction half of the records do not differ, or there are too few
        records; there `axes` and `covariance` have the variance of all records.
    """

    centre: Values
    axes: Values
    covariance: Values
    singular: bool

    def sq_mahalanobis(self, X: Values) -> Values:
        """Return each record's squared Mahalanobis distance, shape (n_records,).

        Rounded, so that equal records are equally far on every machine.
        """
        squared = np.square((X - self.centre) @ self.axes.T).sum(axis=1)
        unit = DISTANCE_TOLERANCE * squared.max(initial=0.0)
        return np.asarray(np.round(squared / unit) * unit if unit > 0.0 else squared)


def estimate_robust_spread(X: Values, seed: int) -> RobustSpread:
    """Return centre and covariance of records by the minimum covariance determinant.

    It is looked for in the directions in which records differ at all, on scales that
    make all records' variance 1; where half of the records differ in none of them, or
    there are too few, what is left is the mean and covariance of all.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    seed : int
        Seed of the subsets that the search begins with.

    References
    ----------
    Rousseeuw, Van Driessen (1999). A fast algorithm for the minimum covariance
    determinant estimator. Technometrics 41(3), 212-223,
    https://doi.org/10.1080/00401706.1999.10485670
    """
    n = X.shape[0]
    mean, scale = X.mean(axis=0), X.std(axis=0)
    noise = 64 * np.finfo(np.float64).eps * np.abs(X).max(axis=0, initial=0.0)
    scale = np.where(scale > noise, scale, np.inf)  # a constant column says nothing
    unit = (X - mean) / scale
    variances, directions = np.linalg.eigh(unit.T @ unit / n)
    nonzero_mask = variances > max(1e-12, n * np.finfo(np.float64).eps)
    root = np.sqrt(variances[nonzero_mask])
    whiten = directions[:, nonzero_mask] / root
    wide_axes, flat, centre, spread = _robust_directions(unit @ whiten, seed)
    # Back from directions of variance 1: to columns on one scale, to columns.
    scaled_axes = (directions[:, nonzero_mask] * root) @ np.hstack([wide_axes, flat])
    varying_mask = np.isfinite(scale)
    sizes, turned = np.linalg.eigh(spread)
    back = np.where(varying_mask, scale, 0.0)[:, np.newaxis] * scaled_axes
    robust = wide_axes @ turned / np.sqrt(sizes)
    axes = whiten @ np.hstack([robust, flat]) / scale[:, np.newaxis]
    full = np.eye(scaled_axes.shape[1])
    full[: len(sizes), : len(sizes)] = spread
    middle = np.concatenate([centre, np.zeros(flat.shape[1])])
    return RobustSpread(
        mean + back @ middle, axes.T, back @ full @ back.T, flat.shape[1] > 0
    )


def _robust_directions(Z: Values, seed: int) -> tuple[Values, Values, Values, Values]:
    """Return directions with and without robust spread, the centre and the spread.

    Parameters
    ----------
    Z : ndarray of float64, shape (n_records, n_directions)
        Of variance 1 and uncorrelated.

    Returns
    -------
    wide_axes, flat : ndarray of float64, shape (n_directions, n_wide) and the rest
        Columns are unit vectors; along `flat` half of the records do not differ.
    centre : ndarray of float64, shape (n_wide,)
    spread : ndarray of float64, shape (n_wide, n_wide)
    """
    rank = Z.shape[1]
    wide_axes, flat = np.eye(rank), np.empty((rank, 0))
    while wide_axes.shape[1]:
        estimate = _minimum_covariance_determinant(Z @ wide_axes, seed)
        if estimate is None:
            break
        centre, spread, narrow = estimate
        if not narrow.shape[1]:
            return wide_axes, flat, centre, spread
        # Without the directions in which half of the records do not differ: again.
        flat = np.hstack([flat, wide_axes @ narrow])
        wide_axes = wide_axes @ _orthogonal_complement(narrow)
    return np.empty((rank, 0)), np.hstack([flat, wide_axes]), np.zeros(0), np.eye(0)


def _orthogonal_complement(axes: Values) -> Values:
    """Return unit vectors of all directions orthogonal to some."""
    return np.ascontiguousarray(np.linalg.svd(axes)[0][:, axes.shape[1] :])


def _minimum_covariance_determinant(
    Z: Values, seed: int
) -> tuple[Values, Values, Values] | None:
    """Return robust centre, covariance, and directions without spread, as columns.

    None where half of the records lie in one point, or there are too few.
    """
    from sklearn.covariance import MinCovDet

    n, p = Z.shape
    if n <= 2 * (p + 1):
        return None
    with warnings.catch_warnings():
        # It warns of the singular spread, which is looked for here.
        warnings.simplefilter("ignore")
        try:
            estimator = MinCovDet(random_state=seed).fit(Z)
        except ValueError:  # the records of the smallest determinant are all equal
            return None
    # That of the subset, then that of all records which it takes for regular.
    for covariance in (estimator.raw_covariance_, estimator.covariance_):
        sizes, axes = np.linalg.eigh(covariance)
        if not np.isfinite(sizes).all():
            return None
        narrow = axes[:, sizes < MIN_VARIANCE_SHARE]
        if narrow.shape[1]:
            break
    return estimator.location_, estimator.covariance_, narrow
