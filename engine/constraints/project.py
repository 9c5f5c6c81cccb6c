"""Projection of values onto linear rules, each scaled by its largest factor."""

from __future__ import annotations

from collections.abc import Sequence

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
from engine.constraints.linear import Linear
from engine.constraints.projection import LinearLimits, project_within_limits_with_mask
from engine.core.typing import Values

INEQUALITY_MARGIN = 1e-13
"""By how much, relative to its terms, an inequality is kept more than it asks for:
then whoever adds its terms up, in whatever order, finds that it holds."""


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
    points, met = project_within_limits_with_mask(A, right, values, limits)
    found = np.clip(points, low, high)
    if h.size:
        size = np.abs(found) @ np.abs(G).T + np.abs(h)
        over = (found @ G.T - h > -0.5 * INEQUALITY_MARGIN * size) & (size > 0.0)
        tight = np.flatnonzero(over.any(axis=1) & met)
        if tight.size:
            inner = h - np.where(over, INEQUALITY_MARGIN * size, 0.0)
            limits = LinearLimits(low, high, G, inner[tight])
            again, fits = project_within_limits_with_mask(
                A, right[tight], values[tight], limits
            )
            moved = np.clip(again, low, high)
            found[tight[fits]] = moved[fits]
    for member in rules:
        met &= ~rule_breach_mask(member, found)
    return found, met
