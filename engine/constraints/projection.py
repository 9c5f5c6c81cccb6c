"""Projection of records onto linear rules: equations, bounds and inequalities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.constraints.breaches import rule_breach_mask
from engine.constraints.conflict import (
    bounds_as_arrays,
    collect_inequality_rows,
    intersect_bounds,
    scaled_rows_as_arrays,
    split_equations_and_bounds,
)
from engine.constraints.linear import RELATIVE_TOLERANCE, Linear
from engine.core.typing import Values

INEQUALITY_MARGIN = 1e-13
"""By how much, relative to its terms, an inequality is kept more than it asks for:
then whoever adds its terms up, in whatever order, finds that it holds."""

Sides = NDArray[np.int8]

_N_CORRECTION_STEPS = 4
"""The first step moves, the others remove what rounding left."""


def violated_equation_mask(A: Values, b: Values, values: Values) -> NDArray[np.bool_]:
    """Return a bool mask of violated equations, shape (n_records, n_equations).

    Parameters
    ----------
    A : ndarray of float64, shape (n_equations, n_columns)
    b : ndarray of float64, shape (n_equations,) or (n_records, n_equations)
    values : ndarray of float64, shape (n_records, n_columns)
    """
    size = np.abs(values) @ np.abs(A).T + np.abs(b)
    residual = np.abs(values @ A.T - b)
    return np.asarray(
        residual > RELATIVE_TOLERANCE * np.maximum(size, 1.0), dtype=np.bool_
    )


@dataclass(frozen=True, eq=False)
class LinearLimits:
    """Bounds of columns, and inequalities ``G x <= h`` between columns.

    Attributes
    ----------
    low, high : ndarray of float64, shape (n_columns,)
    G : ndarray of float64, shape (n_rows, n_columns)
    h : ndarray of float64, shape (n_records, n_rows)
    """

    low: Values
    high: Values
    G: Values
    h: Values

    def inequality_excess(
        self, values: Values, records: int | NDArray[np.int64]
    ) -> Values:
        """Return by how much each inequality is exceeded beyond rounding errors."""
        h = self.h[records]
        size = np.abs(values) @ np.abs(self.G).T + np.abs(h)
        return np.asarray(
            values @ self.G.T - h - RELATIVE_TOLERANCE * np.maximum(size, 1.0)
        )


def project_within_limits_with_mask(
    A: Values, b: Values, values: Values, limits: LinearLimits
) -> tuple[Values, NDArray[np.bool_]]:
    """Return the nearest points with A x = b within limits, and a mask of successes.

    Without limits this is one orthogonal projection. Columns that it takes beyond
    their bounds are held there, broken inequalities are held as equations, and the
    others projected again, until nothing has to be held or let go: then the conditions
    of Karush, Kuhn and Tucker hold and the point is the nearest one (primal-dual active
    sets: Hintermüller, Ito and Kunisch 2002, doi:10.1137/S1052623401383558). Where that
    comes to no end, a least-distance problem finds what to hold.

    Parameters
    ----------
    A : ndarray of float64, shape (n_equations, n_columns)
    b : ndarray of float64, shape (n_records, n_equations)
    values : ndarray of float64, shape (n_records, n_columns)
    limits : LinearLimits

    Returns
    -------
    points : ndarray of float64, shape (n_records, n_columns)
        Bounds hold exactly, equations and inequalities up to
        :data:`RELATIVE_TOLERANCE`.
    met_mask : ndarray of bool, shape (n_records,)
        Whether they do; false where there is no such point.
    """
    n, p = values.shape
    points = values.copy()
    met_mask = np.zeros(n, dtype=np.bool_)
    q = len(limits.G)
    sides = np.zeros((n, p + q), dtype=np.int8)
    open_rows = np.arange(n)
    for _ in range(3 * (p + q) + 3):
        for pattern, rows in _active_patterns(sides, open_rows):
            projections, pull = _hold(
                A, b[rows], values[rows], limits, limits.h[rows], pattern
            )
            points[rows] = projections
            excess = limits.inequality_excess(projections, rows)
            change = _corrected_sides(pattern, projections, pull, excess, limits)
            stable_mask = (change == pattern).all(axis=1)
            off = violated_equation_mask(A, b[rows], projections).any(axis=1)
            off |= (excess > 0.0).any(axis=1)
            met_mask[rows[stable_mask]] = ~np.asarray(off)[stable_mask]
            sides[rows] = change
            sides[rows[stable_mask & ~met_mask[rows]]] = 0
        open_rows = open_rows[~met_mask[open_rows]]
        if not open_rows.size:
            break
    for row in open_rows.tolist():
        point = nearest_point_within_limits(A, b[row], values[row], limits, row)
        if point is not None:
            points[row], met_mask[row] = point, True
    return points, met_mask


def _active_patterns(
    sides: Sides, rows: NDArray[np.int64]
) -> list[tuple[Sides, NDArray[np.int64]]]:
    """Group records by the columns held at the same bounds."""
    kinds, which = np.unique(sides[rows], axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(kinds)))
    return [
        (kind, rows[part])
        for kind, part in zip(kinds, np.split(order, ends[:-1]), strict=True)
    ]


def _hold(
    A: Values, b: Values, values: Values, limits: LinearLimits, h: Values, side: Sides
) -> tuple[Values, Values]:
    """Project with some columns and inequalities held; also return each one's pull.

    The pull is the multiplier of what is held: at a lower bound it must not be
    negative, at an upper one and of an inequality not positive.
    """
    p, m = values.shape[1], len(A)
    bounds, tight = side[:p], side[p:] != 0
    points = values.copy()
    points[:, bounds < 0] = limits.low[bounds < 0]
    points[:, bounds > 0] = limits.high[bounds > 0]
    free = bounds == 0
    rows = np.vstack([A, limits.G[tight]])
    goal = np.hstack([b, h[:, tight]])
    inverse = np.linalg.pinv(rows[:, free])
    for _ in range(_N_CORRECTION_STEPS):
        points[:, free] -= (points @ rows.T - goal) @ inverse.T
    prices = (values - points)[:, free] @ inverse
    pull = np.zeros((len(values), side.size))
    pull[:, :p] = points - values + prices @ rows
    pull[:, np.flatnonzero(tight) + p] = -prices[:, m:]
    return points, pull


def _corrected_sides(
    side: Sides, points: Values, pull: Values, beyond: Values, limits: LinearLimits
) -> Sides:
    """Return the active sides to use instead, shape (n_records, n_columns + n_rows)."""
    p = points.shape[1]
    noise = RELATIVE_TOLERANCE * np.maximum(
        np.abs(points).max(axis=1, keepdims=True), 1.0
    )
    new_sides = np.broadcast_to(side, pull.shape).copy()
    new_sides[(new_sides < 0) & (pull < -noise)] = 0
    new_sides[(new_sides > 0) & (pull > noise)] = 0
    free = side[:p] == 0
    columns, rows = new_sides[:, :p], new_sides[:, p:]
    columns[free & (points < limits.low)] = -1
    columns[free & (points > limits.high)] = 1
    rows[(side[p:] == 0) & (beyond > 0.0)] = 1
    return new_sides


def nearest_point_within_limits(
    A: Values, b: Values, value: Values, limits: LinearLimits, row: int
) -> Values | None:
    """Return the nearest point with A x = b in limits; None if none is found.

    Within the solutions of the equations this is a least-distance problem, min |z|
    with G z >= h, and the limits' multipliers are those of a non-negative
    least-squares problem (LDP of Lawson and Hanson 1974, chapter 23,
    doi:10.1137/1.9781611971217).

    Parameters
    ----------
    A : ndarray of float64, shape (n_equations, n_columns)
    b : ndarray of float64, shape (n_equations,)
    value : ndarray of float64, shape (n_columns,)
    limits : LinearLimits
    row : int
        Which of the limits' records it is.
    """
    # Here, because few runs come this far, and it takes longer than many of them.
    from scipy.linalg import null_space
    from scipy.optimize import nnls

    p, top = value.size, limits.h[[row]]
    low, high, G = limits.low, limits.high, limits.G
    nothing_held: Sides = np.zeros(p + len(G), dtype=np.int8)
    start = _hold(A, b[None], value[None], limits, top, nothing_held)[0][0]
    free = null_space(A) if len(A) else np.eye(p)
    lower, upper = np.flatnonzero(low > -np.inf), np.flatnonzero(high < np.inf)
    excess = G @ start - top[0]
    h = np.concatenate([(low - start)[lower], (start - high)[upper], excess])
    # A single point in bounds would be lost to rounding errors.
    h -= 0.1 * RELATIVE_TOLERANCE * max(float(np.abs(start).max()), 1.0)
    unit = float(np.abs(h).max(initial=0.0)) or 1.0
    E = np.vstack([np.vstack([free[lower], -free[upper], -G @ free]).T, h / unit])
    goal = np.zeros(len(E))
    goal[-1] = 1.0
    pulls, _ = nnls(E, goal)
    if abs((E @ pulls - goal)[-1]) < 1e-12:
        return None
    active_limits = np.flatnonzero(pulls > 0.0)
    side = nothing_held.copy()
    ends = np.concatenate([lower, upper, p + np.arange(len(G))])
    side[ends[active_limits]] = np.where(active_limits < lower.size, -1, 1)
    for _ in range(p + len(G) + 1):
        point = _hold(A, b[None], value[None], limits, top, side)[0]
        out = (side[:p] == 0) & ((point[0] < low) | (point[0] > high))
        excess = limits.inequality_excess(point, row)[0]
        over = (side[p:] == 0) & (excess > 0.0)
        if not out.any() and not over.any():
            fails = violated_equation_mask(A, b, point).any() or (excess > 0.0).any()
            return None if fails else point[0]
        side[:p][out] = np.where(point[0][out] < low[out], -1, 1)
        side[p:][over] = 1
    return None


def project_on_linear_rules_with_success_mask(
    rules: Sequence[Linear], values: Values
) -> tuple[Values, NDArray[np.bool_]]:
    """Return the nearest values that satisfy linear rules, and a mask of successes.

    Parameters
    ----------
    rules : sequence of Equation, Bound or Inequality
    values : ndarray of float64, shape (n_records, n_columns)
        Without missing values.
    """
    n, p = values.shape
    equations, bounds = split_equations_and_bounds(rules)
    A, b = scaled_rows_as_arrays(
        [(each.factors, each.constant) for each in equations], p
    )
    G, h = scaled_rows_as_arrays(collect_inequality_rows(rules), p)
    low, high = bounds_as_arrays(intersect_bounds(bounds), p)
    right = np.broadcast_to(b, (n, b.size))
    limits = LinearLimits(low, high, G, np.broadcast_to(h, (n, h.size)))
    points, met_mask = project_within_limits_with_mask(A, right, values, limits)
    projection = np.clip(points, low, high)
    if h.size:
        size = np.abs(projection) @ np.abs(G).T + np.abs(h)
        over = (projection @ G.T - h > -0.5 * INEQUALITY_MARGIN * size) & (size > 0.0)
        tight = np.flatnonzero(over.any(axis=1) & met_mask)
        if tight.size:
            inner = h - np.where(over, INEQUALITY_MARGIN * size, 0.0)
            limits = LinearLimits(low, high, G, inner[tight])
            inner_points, fits = project_within_limits_with_mask(
                A, right[tight], values[tight], limits
            )
            moved = np.clip(inner_points, low, high)
            projection[tight[fits]] = moved[fits]
    for member in rules:
        met_mask &= ~rule_breach_mask(member, projection)
    return projection, met_mask
