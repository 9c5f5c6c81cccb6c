"""Integer grid of all rounded values that satisfy linear rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm

import numpy as np

from engine.constraints.conflict import (
    bounds_as_arrays,
    collect_inequality_rows,
    intersect_bounds,
    scaled_rows_as_arrays,
    split_equations_and_bounds,
)
from engine.constraints.exact_rounding.lattice import (
    eliminate_columns,
    equation_in_integer_units,
    integer_solution_and_basis,
    shorten_lattice_basis,
    shorten_point_by_lattice,
)
from engine.constraints.linear import Bound, Row
from engine.constraints.parsing.syntax import Member
from engine.core.errors import InfeasibleError
from engine.core.message import Message
from engine.core.numerics.solver import IntegerProgramme
from engine.core.typing import Integers, Values

UNBOUNDED_UNITS = 2**62
"""Bound in units of a column that has none."""

MAX_EXACT_INT = 2**53
"""Whole numbers up to here are exact as floating-point numbers."""

TOO_LARGE_MESSAGE = Message(
    "Numbers are too large to be rounded so that the rules hold exactly: express "
    "columns in a larger unit, or round to fewer decimals."
)


@dataclass(frozen=True, eq=False)
class RoundingGrid:
    """Integer grid of the rounded values that satisfy linear rules.

    Attributes
    ----------
    columns : ndarray of int64, shape (n_grid,)
        Rounded columns that an equation or inequality binds.
    units : ndarray of float64, shape (n_grid,)
        10**-decimals of each.
    base : ndarray of int64, shape (n_grid,)
        A solution of the equations between rounded columns, in units.
    basis : ndarray of int64, shape (n_basis, n_grid)
        Steps from one solution to the others.
    low, high : ndarray of int64, shape (n_grid,)
        Bounds in units.
    reals : ndarray of int64, shape (n_reals,)
        Columns that are not rounded and that an equation or inequality binds.
    real_low, real_high : ndarray of float64, shape (n_reals,)
    A : ndarray of float64, shape (n_rows, n_reals)
        Equations that bind these, each divided by its largest factor.
    G : ndarray of float64, shape (n_rows, n_grid)
        The same equations' factors of rounded columns, in their own units.
    b : ndarray of float64, shape (n_rows,)
    limits : ndarray of int64, shape (n_limits, n_grid)
        Inequalities between rounded columns, in units: coprime whole factors.
    most : ndarray of int64, shape (n_limits,)
        What these may be at most.
    worth : ndarray of float64, shape (n_limits,)
        What 1 is worth in each.
    B : ndarray of float64, shape (n_mixed, n_reals)
        Inequalities that bind unrounded columns, each divided by its largest factor.
    H : ndarray of float64, shape (n_mixed, n_grid)
        The same inequalities' factors of rounded columns, in their own units.
    c : ndarray of float64, shape (n_mixed,)
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
    limits: Integers
    most: Integers
    worth: Values
    B: Values
    H: Values
    c: Values

    def inequality_excess(self, units: Integers) -> Integers:
        """Return by how many units each inequality of rounded columns is exceeded."""
        return np.asarray(units @ self.limits.T - self.most)


def make_rounding_grid(
    rules: Sequence[Member], decimals: Sequence[int]
) -> RoundingGrid | None:
    """Return the grid of rounded values under linear rules; None if equations bar all.

    Parameters
    ----------
    rules : sequence of Member
        Edits that are not linear are left to others.
    decimals : sequence of int
        Per column; -1 where it is not rounded.
    """
    equations, bounds = split_equations_and_bounds(rules)
    unequal = collect_inequality_rows(rules)
    p = len(decimals)
    compared = {j for factors, _ in unequal for j in range(p) if factors[j]}
    named = {j for equation in equations for j in equation.support}
    bound_by = sorted(named | compared)
    columns = [j for j in bound_by if decimals[j] >= 0]
    reals = [j for j in bound_by if decimals[j] < 0]
    rows = [[*equation.factors, equation.constant] for equation in equations]
    places = [decimals[j] for j in columns]
    low, high = bounds_in_units(bounds, decimals)
    fixed = _fixed_columns(bounds, decimals, low, high, bound_by)
    whole = [
        equation_in_integer_units(row, columns, places)
        for row in eliminate_columns(rows + fixed, reals)
    ]
    integer_rows = [row for row in whole if row is not None]
    if len(integer_rows) < len(whole):
        return None
    solved = integer_solution_and_basis(integer_rows, len(columns))
    if solved is None:
        return None
    units = [Fraction(1, 10**d) for d in places]
    basis = shorten_lattice_basis(solved[1], units)
    base = shorten_point_by_lattice(solved[0], basis, units)
    if max(map(abs, base), default=0) >= MAX_EXACT_INT:
        raise InfeasibleError(TOO_LARGE_MESSAGE)
    floats = bounds_as_arrays(intersect_bounds(bounds), p)
    mixed = np.array(
        [
            [float(value / max(map(abs, row[:-1]))) for value in row]
            for row in rows
            if any(row[j] for j in reals)
        ]
    ).reshape(-1, p + 1)
    B, c = scaled_rows_as_arrays(
        [row for row in unequal if any(row[0][j] for j in reals)], p
    )
    whole_rows = [row for row in unequal if not any(row[0][j] for j in reals)]
    limits, constants, worth = _inequalities_in_units(whole_rows, columns, places)
    return RoundingGrid(
        columns=np.array(columns, dtype=np.int64),
        units=np.array([float(unit) for unit in units]),
        base=np.array(base, dtype=np.int64),
        basis=np.array(basis, dtype=np.int64).reshape(len(basis), len(columns)),
        low=low[columns],
        high=high[columns],
        reals=np.array(reals, dtype=np.int64),
        real_low=floats[0][reals],
        real_high=floats[1][reals],
        A=mixed[:, reals],
        G=mixed[:, columns],
        b=mixed[:, -1],
        limits=limits,
        most=constants,
        worth=worth,
        B=B[:, reals],
        H=B[:, columns],
        c=c,
    )


def _inequalities_in_units(
    rows: Sequence[Row], columns: Sequence[int], decimals: Sequence[int]
) -> tuple[Integers, Integers, Values]:
    """Return inequalities between rounded columns in their units, exactly.

    What whole numbers add up to is at most the whole number below the constant.
    """
    factors, constants, worth = [], [], []
    for line, constant in rows:
        shares = [line[j] / 10**d for j, d in zip(columns, decimals, strict=True)]
        scale = Fraction(lcm(*(share.denominator for share in shares)))
        common = gcd(*(int(share * scale) for share in shares))
        scale /= common
        factors.append([int(share * scale) for share in shares])
        constants.append(floor(constant * scale))
        worth.append(float(1 / scale))
    if any(abs(number) >= MAX_EXACT_INT for line in factors for number in line) or any(
        abs(number) >= UNBOUNDED_UNITS for number in constants
    ):
        raise InfeasibleError(TOO_LARGE_MESSAGE)
    return (
        np.array(factors, dtype=np.int64).reshape(len(rows), len(columns)),
        np.array(constants, dtype=np.int64),
        np.array(worth),
    )


def _fixed_columns(
    bounds: Sequence[Bound],
    decimals: Sequence[int],
    low: Integers,
    high: Integers,
    columns: Sequence[int],
) -> list[list[Fraction]]:
    """Return, as equations, columns whose bounds leave a single value."""
    limits, p = intersect_bounds(bounds), len(decimals)
    rows = []
    for j in columns:
        lower, upper = limits.get(j, (None, None))
        if decimals[j] >= 0 and low[j] == high[j]:
            lower = upper = Fraction(int(low[j]), 10 ** decimals[j])
        if lower is not None and lower == upper:
            rows.append([*(Fraction(int(i == j)) for i in range(p)), Fraction(lower)])
    return rows


def bounds_in_units(
    rules: Sequence[Member], decimals: Sequence[int]
) -> tuple[Integers, Integers]:
    """Return columns' lower and upper bounds in whole units, each (n_columns,)."""
    low = np.full(len(decimals), -UNBOUNDED_UNITS, dtype=np.int64)
    high = np.full(len(decimals), UNBOUNDED_UNITS, dtype=np.int64)
    for column, (lower, upper) in intersect_bounds(
        split_equations_and_bounds(rules)[1]
    ).items():
        units = 10 ** max(decimals[column], 0)
        if lower is not None:
            low[column] = max(ceil(lower * units), -UNBOUNDED_UNITS)
        if upper is not None:
            high[column] = min(floor(upper * units), UNBOUNDED_UNITS)
    return low, high


def has_rounded_solution(rules: Sequence[Member], decimals: Sequence[int]) -> bool:
    """Return whether rounded values can satisfy linear rules; True if that stays open.

    Equations between rounded columns are judged exactly; whether their solutions
    reach the bounds, by an integer programme.
    """
    low, high = bounds_in_units(rules, decimals)
    rounded = np.array(decimals) >= 0
    if (low > high)[rounded].any():
        return False
    grid = make_rounding_grid(rules, decimals)
    if grid is None:
        return False
    limits = [grid.low > -UNBOUNDED_UNITS, grid.high < UNBOUNDED_UNITS]
    real_limits = [np.isfinite(grid.real_low), np.isfinite(grid.real_high)]
    if not (np.any(limits) or np.any(real_limits) or len(grid.most) or len(grid.c)):
        return True
    rest = grid.b - grid.G @ (grid.base * grid.units)
    q, r = len(grid.basis), grid.reals.size
    steps = grid.basis.T.astype(np.float64)
    at_least = [
        integer_bounds_to_float(grid.low - grid.base),
        rest,
        np.full(len(grid.most) + len(grid.c), -np.inf),
    ]
    at_most = [
        integer_bounds_to_float(grid.high - grid.base),
        rest,
        -grid.inequality_excess(grid.base),
        grid.c - grid.H @ (grid.base * grid.units),
    ]
    programme = IntegerProgramme(
        cost=np.zeros(q + r),
        low=np.concatenate([np.full(q, -np.inf), grid.real_low]),
        high=np.concatenate([np.full(q, np.inf), grid.real_high]),
        A=np.block(
            [
                [steps, np.zeros((steps.shape[0], r))],
                [mixed_equation_matrix_in_basis(grid), grid.A],
                [grid.limits @ steps, np.zeros((len(grid.most), r))],
                [mixed_inequality_matrix_in_basis(grid), grid.B],
            ]
        ),
        row_low=np.concatenate(at_least),
        row_high=np.concatenate(at_most),
        whole=np.arange(q + r) < q,
    )
    return not programme.solve()[1]


def mixed_equation_matrix_in_basis(grid: RoundingGrid) -> Values:
    """Return what each basis vector adds to mixed equations, (n_rows, n_basis)."""
    return np.asarray(grid.G @ (grid.basis * grid.units).T)


def mixed_inequality_matrix_in_basis(grid: RoundingGrid) -> Values:
    """Return what each basis vector adds to mixed inequalities, (n_mixed, n_basis)."""
    return np.asarray(grid.H @ (grid.basis * grid.units).T)


def integer_bounds_to_float(bounds: Integers) -> Values:
    """Return integer bounds as floats, infinite beyond half of `UNBOUNDED_UNITS`."""
    floats = bounds.astype(np.float64)
    floats[np.abs(bounds) > UNBOUNDED_UNITS // 2] = np.inf
    return np.where(bounds < 0, -np.abs(floats), floats)
