"""The nearest values that keep linear rules, whatever the size of their numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.constraints.conflict import as_arrays, as_rows, meet, parted, rows_of
from engine.constraints.linear import Linear
from engine.constraints.members import breaks
from engine.constraints.nearest import Limits, nearest
from engine.core.typing import Values

MARGIN = 1e-13
"""By how much, relative to its terms, an inequality is kept more than it asks for:
then whoever adds its terms up, in whatever order, finds that it holds."""


def nearest_to(
    members: Sequence[Linear], values: Values, scale: Values
) -> tuple[Values, NDArray[np.bool_]]:
    """Return the nearest values that satisfy linear rules, and which there are.

    Parameters
    ----------
    members : sequence of Equation, Bound or Inequality
    values : ndarray of float64, shape (n_records, n_columns)
        Without missing values.
    scale : ndarray of float64, shape (n_columns,)
        Root of what a squared unit of each column costs.
    """
    n, p = values.shape
    equations, bounds = parted(members)
    A, b = as_rows([(each.factors, each.constant) for each in equations], p)
    G, h = as_rows(rows_of(members), p)
    low, high = as_arrays(meet(bounds), p)
    right = np.broadcast_to(b, (n, b.size))
    ends = low * scale, high * scale
    limits = Limits(*ends, G / scale, np.broadcast_to(h, (n, h.size)))
    points, met = nearest(A / scale, right, values * scale, limits)
    found = np.clip(points / scale, low, high)
    if h.size:
        size = np.abs(found) @ np.abs(G).T + np.abs(h)
        over = (found @ G.T - h > -0.5 * MARGIN * size) & (size > 0.0)
        tight = np.flatnonzero(over.any(axis=1) & met)
        if tight.size:
            inner = h - np.where(over, MARGIN * size, 0.0)
            limits = Limits(*ends, G / scale, inner[tight])
            again, fits = nearest(
                A / scale, right[tight], values[tight] * scale, limits
            )
            moved = np.clip(again / scale, low, high)
            found[tight[fits]] = moved[fits]
    for member in members:
        met &= ~breaks(member, found)
    return found, met
