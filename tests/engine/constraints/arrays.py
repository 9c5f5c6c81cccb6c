"""Linear rules as arrays of floating-point numbers."""

import numpy as np

from engine.constraints.conflict import (
    bounds_as_arrays,
    intersect_bounds,
    split_equations_and_bounds,
)
from engine.constraints.rules import Rules
from engine.core.typing import Values


def linear_arrays(rules: Rules) -> tuple[Values, Values, Values, Values]:
    """Return A and b of the equations ``A @ x = b``, and columns' low and high."""
    equations, bounds = split_equations_and_bounds(rules.members)
    p = len(rules.columns)
    rows = [[float(f) for f in (*each.factors, each.constant)] for each in equations]
    coefficients = np.array(rows).reshape(-1, p + 1)
    return (
        coefficients[:, :-1],
        coefficients[:, -1],
        *bounds_as_arrays(intersect_bounds(bounds), p),
    )
