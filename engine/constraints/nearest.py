"""The nearest values that satisfy equations and bounds, for many records at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Values

Sides = NDArray[np.int8]

TOLERANCE = 1e-9
"""An equation holds when its sides differ by less, relative to their terms' size."""

_STEPS = 4
"""The first step moves, the others remove what rounding left."""


def unmet(A: Values, b: Values, values: Values) -> NDArray[np.bool_]:
    """Return which equations do not hold, shape (n_records, n_equations).

    Parameters
    ----------
    A : ndarray of float64, shape (n_equations, n_columns)
    b : ndarray of float64, shape (n_equations,) or (n_records, n_equations)
    values : ndarray of float64, shape (n_records, n_columns)
    """
    size = np.abs(values) @ np.abs(A).T + np.abs(b)
    residual = np.abs(values @ A.T - b)
    return np.asarray(residual > TOLERANCE * np.maximum(size, 1.0), dtype=np.bool_)


def nearest(
    A: Values, b: Values, values: Values, low: Values, high: Values
) -> tuple[Values, NDArray[np.bool_]]:
    """Return the nearest points with A x = b and low <= x <= high.

    Without bounds this is one orthogonal projection. Columns that it takes beyond
    their bounds are held there and the others projected again, until no column has
    to be held or let go: then the conditions of Karush, Kuhn and Tucker hold and the
    point is the nearest one (primal-dual active sets: Hintermüller, Ito and Kunisch
    2002, doi:10.1137/S1052623401383558). Where that comes to no end, a least-distance
    problem finds the columns to hold.

    Parameters
    ----------
    A : ndarray of float64, shape (n_equations, n_columns)
    b : ndarray of float64, shape (n_records, n_equations)
    values : ndarray of float64, shape (n_records, n_columns)
    low, high : ndarray of float64, shape (n_columns,)

    Returns
    -------
    points : ndarray of float64, shape (n_records, n_columns)
        Bounds hold exactly, equations up to :data:`TOLERANCE`.
    met : ndarray of bool, shape (n_records,)
        Whether they do; false where there is no such point.
    """
    n, p = values.shape
    points = values.copy()
    met = np.zeros(n, dtype=np.bool_)
    sides = np.zeros((n, p), dtype=np.int8)
    open_rows = np.arange(n)
    for _ in range(3 * p + 3):
        for pattern, rows in _patterns(sides, open_rows):
            held, pull = _hold(A, b[rows], values[rows], low, high, pattern)
            points[rows] = held
            change = _corrected(pattern, held, pull, low, high)
            settled = (change == pattern).all(axis=1)
            met[rows[settled]] = ~unmet(A, b[rows], held)[settled].any(axis=1)
            sides[rows] = change
            sides[rows[settled & ~met[rows]]] = 0
        open_rows = open_rows[~met[open_rows]]
        if not open_rows.size:
            break
    for row in open_rows.tolist():
        found = by_least_distance(A, b[row], values[row], low, high)
        if found is not None:
            points[row], met[row] = found, True
    return points, met


def _patterns(
    sides: Sides, rows: NDArray[np.int64]
) -> list[tuple[Sides, NDArray[np.int64]]]:
    """Return the records that hold the same columns at the same bounds."""
    kinds, which = np.unique(sides[rows], axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(kinds)))
    return [
        (kind, rows[part])
        for kind, part in zip(kinds, np.split(order, ends[:-1]), strict=True)
    ]


def _hold(
    A: Values, b: Values, values: Values, low: Values, high: Values, side: Sides
) -> tuple[Values, Values]:
    """Project with some columns held at a bound; also return each bound's pull.

    The pull is the multiplier of a held column: at a lower bound it must not be
    negative, at an upper one not positive.
    """
    points = values.copy()
    points[:, side < 0] = low[side < 0]
    points[:, side > 0] = high[side > 0]
    free = side == 0
    inverse = np.linalg.pinv(A[:, free])
    for _ in range(_STEPS):
        points[:, free] -= (points @ A.T - b) @ inverse.T
    prices = (values - points)[:, free] @ inverse
    return points, points - values + prices @ A


def _corrected(
    side: Sides, points: Values, pull: Values, low: Values, high: Values
) -> Sides:
    """Return which columns to hold instead, shape (n_records, n_columns)."""
    noise = TOLERANCE * np.maximum(np.abs(points).max(axis=1, keepdims=True), 1.0)
    found = np.broadcast_to(side, points.shape).copy()
    found[(found < 0) & (pull < -noise)] = 0
    found[(found > 0) & (pull > noise)] = 0
    free = side == 0
    found[free & (points < low)] = -1
    found[free & (points > high)] = 1
    return found


def by_least_distance(
    A: Values, b: Values, value: Values, low: Values, high: Values
) -> Values | None:
    """Return the nearest point to one record, or None if there is none.

    Within the solutions of the equations this is a least-distance problem, min |z|
    with G z >= h, and its bounds' multipliers are those of a non-negative
    least-squares problem (LDP of Lawson and Hanson 1974, chapter 23,
    doi:10.1137/1.9781611971217).

    Parameters
    ----------
    A : ndarray of float64, shape (n_equations, n_columns)
    b : ndarray of float64, shape (n_equations,)
    value, low, high : ndarray of float64, shape (n_columns,)
    """
    # Here, because few runs come this far, and it takes longer than many of them.
    from scipy.linalg import null_space
    from scipy.optimize import nnls

    nothing_held: Sides = np.zeros(value.size, dtype=np.int8)
    start = _hold(A, b[None], value[None], low, high, nothing_held)[0][0]
    free = null_space(A) if len(A) else np.eye(value.size)
    lower, upper = np.flatnonzero(low > -np.inf), np.flatnonzero(high < np.inf)
    h = np.concatenate([(low - start)[lower], (start - high)[upper]])
    # A single point in bounds would be lost to rounding errors.
    h -= 0.1 * TOLERANCE * max(float(np.abs(start).max()), 1.0)
    unit = float(np.abs(h).max(initial=0.0)) or 1.0
    E = np.vstack([np.vstack([free[lower], -free[upper]]).T, h / unit])
    goal = np.zeros(len(E))
    goal[-1] = 1.0
    pulls, _ = nnls(E, goal)
    if abs((E @ pulls - goal)[-1]) < 1e-12:
        return None
    held = np.flatnonzero(pulls > 0.0)
    side = nothing_held.copy()
    side[lower[held[held < lower.size]]] = -1
    side[upper[held[held >= lower.size] - lower.size]] = 1
    for _ in range(value.size + 1):
        point = _hold(A, b[None], value[None], low, high, side)[0]
        out = (side == 0) & ((point[0] < low) | (point[0] > high))
        if not out.any():
            return None if unmet(A, b, point).any() else point[0]
        side[out] = np.where(point[0][out] < low[out], -1, 1)
    return None
