"""The grid of values that rules leave to rounded columns, and whether there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np

from engine.constraints.conflict import Member, as_arrays, meet, parted
from engine.constraints.lattice import (
    in_units,
    nearer,
    shortened,
    whole_solutions,
    without,
)
from engine.constraints.syntax import Bound
from engine.core.errors import InfeasibleError
from engine.core.message import Message
from engine.core.solver import Programme
from engine.core.typing import Integers, Values

FAR = 2**62
"""Bound in units of a column that has none."""

LARGEST = 2**53
"""Whole numbers up to here are exact as floating-point numbers."""

TOO_LARGE = Message(
    "Numbers are too large to be rounded so that the rules hold exactly: express "
    "columns in a larger unit, or round to fewer decimals."
)


@dataclass(frozen=True, eq=False)
class Grid:
    """The values that some rules leave to columns with so many decimals.

    Attributes
    ----------
    columns : ndarray of int64, shape (n_grid,)
        Rounded columns that an equation binds.
    units : ndarray of float64, shape (n_grid,)
        10**-decimals of each.
    base : ndarray of int64, shape (n_grid,)
        A solution of the equations between rounded columns, in units.
    basis : ndarray of int64, shape (n_basis, n_grid)
        Steps from one solution to the others.
    low, high : ndarray of int64, shape (n_grid,)
        Bounds in units.
    reals : ndarray of int64, shape (n_reals,)
        Columns that are not rounded and that an equation binds.
    real_low, real_high : ndarray of float64, shape (n_reals,)
    A : ndarray of float64, shape (n_rows, n_reals)
        Equations that bind these, each divided by its largest factor.
    G : ndarray of float64, shape (n_rows, n_grid)
        The same equations' factors of rounded columns, in their own units.
    b : ndarray of float64, shape (n_rows,)
    """

    columns: Integers
    units: Values
    base: Integers
    basis: Integers
    low: Integers
    high: Integers
    reals: Integers
    real_low: Values
    real_high: Values
    A: Values
    G: Values
    b: Values


def make_grid(members: Sequence[Member], decimals: Sequence[int]) -> Grid | None:
    """Return the grid of some rules; None if the equations leave no value at all.

    Parameters
    ----------
    members : sequence of Equation or Bound
    decimals : sequence of int
        Per column; -1 where it is not rounded.
    """
    equations, bounds = parted(members)
    p = len(decimals)
    bound_by = sorted({j for equation in equations for j in equation.support})
    columns = [j for j in bound_by if decimals[j] >= 0]
    reals = [j for j in bound_by if decimals[j] < 0]
    rows = [[*equation.factors, equation.constant] for equation in equations]
    places = [decimals[j] for j in columns]
    low, high = whole_bounds(bounds, decimals)
    fixed = _fixed(bounds, decimals, low, high, bound_by)
    whole = [in_units(row, columns, places) for row in without(rows + fixed, reals)]
    known = [row for row in whole if row is not None]
    if len(known) < len(whole):
        return None
    solved = whole_solutions(known, len(columns))
    if solved is None:
        return None
    units = [Fraction(1, 10**d) for d in places]
    basis = shortened(solved[1], units)
    base = nearer(solved[0], basis, units)
    if max(map(abs, base), default=0) >= LARGEST:
        raise InfeasibleError(TOO_LARGE)
    floats = as_arrays(meet(bounds), p)
    mixed = np.array(
        [
            [float(value / max(map(abs, row[:-1]))) for value in row]
            for row in rows
            if any(row[j] for j in reals)
        ]
    ).reshape(-1, p + 1)
    return Grid(
        np.array(columns, dtype=np.int64),
        np.array([float(unit) for unit in units]),
        np.array(base, dtype=np.int64),
        np.array(basis, dtype=np.int64).reshape(len(basis), len(columns)),
        low[columns],
        high[columns],
        np.array(reals, dtype=np.int64),
        floats[0][reals],
        floats[1][reals],
        mixed[:, reals],
        mixed[:, columns],
        mixed[:, -1],
    )


def _fixed(
    bounds: Sequence[Bound],
    decimals: Sequence[int],
    low: Integers,
    high: Integers,
    columns: Sequence[int],
) -> list[list[Fraction]]:
    """Return as equations what bounds leave but one value: these are judged exactly."""
    met, p = meet(bounds), len(decimals)
    found = []
    for j in columns:
        least, most = met.get(j, (None, None))
        if decimals[j] >= 0 and low[j] == high[j]:
            least = most = Fraction(int(low[j]), 10 ** decimals[j])
        if least is not None and least == most:
            found.append([*(Fraction(int(i == j)) for i in range(p)), Fraction(least)])
    return found


def whole_bounds(
    bounds: Sequence[Member], decimals: Sequence[int]
) -> tuple[Integers, Integers]:
    """Return the bounds of rounded columns in their units, each (n_columns,)."""
    low = np.full(len(decimals), -FAR, dtype=np.int64)
    high = np.full(len(decimals), FAR, dtype=np.int64)
    for column, (least, most) in meet(parted(bounds)[1]).items():
        units = 10 ** max(decimals[column], 0)
        if least is not None:
            low[column] = max(ceil(least * units), -FAR)
        if most is not None:
            high[column] = min(floor(most * units), FAR)
    return low, high


def roundable(members: Sequence[Member], decimals: Sequence[int]) -> bool:
    """Return whether values with so many decimals exist that meet all rules.

    Equations between rounded columns are judged exactly; whether their solutions
    reach the bounds, by an integer programme.
    """
    low, high = whole_bounds(members, decimals)
    rounded = np.array(decimals) >= 0
    if (low > high)[rounded].any():
        return False
    grid = make_grid(members, decimals)
    if grid is None:
        return False
    limits = [grid.low > -FAR, grid.high < FAR]
    real_limits = [np.isfinite(grid.real_low), np.isfinite(grid.real_high)]
    if not (np.any(limits) or np.any(real_limits)):
        return True
    rest = grid.b - grid.G @ (grid.base * grid.units)
    q, r = len(grid.basis), grid.reals.size
    steps = grid.basis.T.astype(np.float64)
    programme = Programme(
        np.zeros(q + r),
        np.concatenate([np.full(q, -np.inf), grid.real_low]),
        np.concatenate([np.full(q, np.inf), grid.real_high]),
        np.block([[steps, np.zeros((steps.shape[0], r))], [real_steps(grid), grid.A]]),
        np.concatenate([open_ended(grid.low - grid.base), rest]),
        np.concatenate([open_ended(grid.high - grid.base), rest]),
        whole=np.arange(q + r) < q,
    )
    return not programme.solve()[1]


def real_steps(grid: Grid) -> Values:
    """Return what a step along each basis member adds to each mixed equation."""
    return np.asarray(grid.G @ (grid.basis * grid.units).T)


def open_ended(limits: Integers) -> Values:
    """Return bounds as numbers that may be infinite."""
    found = limits.astype(np.float64)
    found[np.abs(limits) > FAR // 2] = np.inf
    return np.where(limits < 0, -np.abs(found), found)
