"""Rounding of values so that equations of rounded columns hold exactly in decimals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.constraints.exact_rounding.decimals import round_columns
from engine.constraints.exact_rounding.grid import (
    MAX_EXACT_INT,
    TOO_LARGE_MESSAGE,
    UNBOUNDED_UNITS,
    RoundingGrid,
    bounds_in_units,
    integer_bounds_to_float,
    make_rounding_grid,
    mixed_equation_matrix_in_basis,
    mixed_inequality_matrix_in_basis,
)
from engine.constraints.parsing.syntax import Member
from engine.constraints.projection import LinearLimits, project_within_limits_with_mask
from engine.core.errors import InfeasibleError
from engine.core.numerics.solver import IntegerProgramme
from engine.core.typing import Integers, Values

_BOUND_PENALTY = 1e3
"""What a unit beyond a bound costs, against a unit of distance."""

_MAX_PASSES = 200


def round_values(
    rules: Sequence[Member],
    decimals: Sequence[int],
    values: Values,
    column_names: Sequence[str],
) -> Values:
    """Return values rounded so that every linear rule holds; raise where none is found.

    Rounded values are the floating-point numbers nearest to decimals that satisfy
    the equations exactly and the bounds. Columns without rounding are moved least so
    that equations hold to 1e-9 relative.

    Records start from the solution nearest to theirs as Babai rounds (1986,
    doi:10.1007/BF02579403) and step along the basis, its sums and differences, while
    that lowers the sum of distances. For one rule that adds columns of the same
    precision these steps are all there are that matter, so that no other rounding is
    nearer; for other rules nearer ones may exist. Records that are then still beyond
    a bound are solved by an integer programme, and no other rounding of them is
    nearer, unless it is cut short
    (:data:`engine.core.numerics.solver.MAX_INTEGER_NODES`).

    Parameters
    ----------
    rules : sequence of Equation, Bound, Inequality or EditRule
        Edits are not looked at; the others can be met with these decimals
        (:func:`engine.constraints.exact_rounding.grid.has_rounded_solution`).
    decimals : sequence of int
        Per column; -1 where it is not rounded.
    values : ndarray of float64, shape (n_records, n_columns)
        Values that satisfy the rules; without missing ones.
    column_names : sequence of str
        The columns, for messages.

    Raises
    ------
    InfeasibleError
        If numbers are too large for their decimals, or a record has no rounding.
    """
    out, met_mask, columns = round_with_mask_and_rounded_columns(
        rules, decimals, values, column_names
    )
    if not met_mask.all():
        raise InfeasibleError(
            "A group's values of {columns!r} have no rounding that keeps the "
            "rules: round to more decimals, or not at all.",
            columns=columns,
        )
    return out


def round_with_mask_and_rounded_columns(
    rules: Sequence[Member],
    decimals: Sequence[int],
    values: Values,
    column_names: Sequence[str],
) -> tuple[Values, NDArray[np.bool_], list[str]]:
    """Return rounded values, a mask of successes, and columns to name where it fails.

    Parameters
    ----------
    rules, decimals, values, column_names
        As for :func:`round_values`.

    Raises
    ------
    InfeasibleError
        If numbers are too large for their decimals.
    """
    grid = make_rounding_grid(rules, decimals)
    if grid is None:
        return values, np.zeros(len(values), dtype=np.bool_), list(column_names)
    out = _round_separately(rules, decimals, values)
    points = _start(grid, values)
    target = values[:, grid.columns] / grid.units
    _descend_by_lines(grid, points, target, values[:, grid.reals])
    reals, met_mask = _adjust_unrounded(grid, points, values[:, grid.reals])
    met_mask &= ((points >= grid.low) & (points <= grid.high)).all(axis=1)
    met_mask &= (grid.inequality_excess(points) <= 0).all(axis=1)
    for row in np.flatnonzero(~met_mask).tolist():
        steps = _solve_by_programme(
            grid, points[row], target[row], values[row, grid.reals]
        )
        if steps is not None:
            points[row] += steps @ grid.basis
            at = slice(row, row + 1)
            reals[at], met_mask[at] = _adjust_unrounded(
                grid, points[at], values[at, grid.reals]
            )
    out[:, grid.columns] = points / np.rint(1.0 / grid.units)
    out[:, grid.reals] = reals
    for large in grid.columns[(np.abs(points) >= MAX_EXACT_INT).any(axis=0)].tolist():
        raise InfeasibleError(
            "Column {column!r} holds numbers too large to be rounded exactly: express "
            "it in a larger unit, or round to fewer decimals.",
            column=column_names[large],
        )
    return out, met_mask, [column_names[j] for j in grid.columns]


def _round_separately(
    members: Sequence[Member], decimals: Sequence[int], values: Values
) -> Values:
    """Round each column by itself, within its bounds."""
    low, high = bounds_in_units(members, decimals)
    out = round_columns(values, decimals).copy()
    for j, places in enumerate(decimals):
        if places >= 0:
            ends = _as_float(low[j]) / 10.0**places, _as_float(high[j]) / 10.0**places
            out[:, j] = np.clip(out[:, j], *ends)
    return out


def _as_float(limit: int) -> float:
    return (
        float(limit) if abs(limit) < UNBOUNDED_UNITS else float(np.sign(limit)) * np.inf
    )


def _start(grid: RoundingGrid, values: Values) -> Integers:
    """Return a solution near each record, in units, shape (n_records, n_grid)."""
    if not len(grid.basis):
        return np.broadcast_to(grid.base, (len(values), grid.base.size)).copy()
    steps = grid.basis * grid.units
    offsets = values[:, grid.columns] - grid.base * grid.units
    multiples = np.rint(offsets @ np.linalg.pinv(steps))
    reach = np.abs(multiples).max(initial=0.0) * float(
        np.abs(grid.basis).sum(axis=0).max()
    )
    if reach + float(np.abs(grid.base).max()) >= UNBOUNDED_UNITS:
        raise InfeasibleError(TOO_LARGE_MESSAGE)
    return np.asarray(grid.base + multiples.astype(np.int64) @ grid.basis)


def _descend_by_lines(
    grid: RoundingGrid, multiples: Integers, target: Values, reals: Values
) -> None:
    """Step along short differences of solutions while that lowers the cost.

    A column that is not rounded follows the others where they leave it no choice,
    and then its distance and its bounds count as well.
    """
    lines = _search_lines(grid, multiples, target, reals)
    at = np.hstack([line.at for line in lines])
    _descend_by_basis(
        grid,
        multiples,
        _Costs(
            np.concatenate([line.low for line in lines]),
            np.concatenate([line.high for line in lines]),
            np.concatenate([line.units for line in lines]),
            np.concatenate([np.full(line.low.size, line.counts) for line in lines]),
        ),
        at,
        at - np.hstack([line.goal for line in lines]),
        np.hstack([line.goes for line in lines]),
    )


class _Costs(NamedTuple):
    """What columns and inequalities cost, each of shape (n_columns,).

    Attributes
    ----------
    low, high : ndarray of float64
    units : ndarray of float64
        What 1 is worth.
    counts : ndarray of float64
        1 where distance counts, 0 where only going beyond does.
    """

    low: Values
    high: Values
    units: Values
    counts: Values


class _Line(NamedTuple):
    """Columns or inequalities: where they are, and how far each step takes them.

    Attributes
    ----------
    at, goal : ndarray of float64, shape (n_records, n_lines)
    goes : ndarray of float64, shape (n_basis, n_lines)
    low, high, units : ndarray of float64, shape (n_lines,)
    counts : float
        As in :class:`_Costs`.
    """

    at: Values
    goal: Values
    goes: Values
    low: Values
    high: Values
    units: Values
    counts: float


def _search_lines(
    grid: RoundingGrid, multiples: Integers, target: Values, reals: Values
) -> list[_Line]:
    """Return rounded columns, those that follow them, and what inequalities add up."""
    at, basis = multiples.astype(np.float64), grid.basis.astype(np.float64)
    low, high = integer_bounds_to_float(grid.low), integer_bounds_to_float(grid.high)
    lines = [_Line(at, target, basis, low, high, grid.units, 1.0)]
    follow = _follower_steps(grid)
    mixed = (multiples * grid.units) @ grid.H.T
    pace = mixed_inequality_matrix_in_basis(grid).T
    if follow.shape[1]:
        rest = grid.b - (multiples * grid.units) @ grid.G.T
        real_solution = rest @ np.linalg.pinv(grid.A).T
        ends, ones = (grid.real_low, grid.real_high), np.ones(follow.shape[1])
        lines.append(_Line(real_solution, reals, follow, *ends, ones, 1.0))
        mixed, pace = mixed + real_solution @ grid.B.T, pace + follow @ grid.B.T
    constants = grid.most.astype(np.float64)
    sums = [(at @ grid.limits.T, basis @ grid.limits.T, constants, grid.worth)]
    if follow.shape[1] or not grid.reals.size:
        sums.append((mixed, pace, grid.c, np.ones(grid.c.size)))
    for value, goes, top, worth in sums:
        bottom = np.full(top.size, -np.inf)
        lines.append(_Line(value, value, goes, bottom, top, worth, 0.0))
    return lines


def _descend_by_basis(
    grid: RoundingGrid,
    multiples: Integers,
    costs: _Costs,
    at: Values,
    away: Values,
    goes: Values,
) -> None:
    """Take steps along the basis, its sums and differences, while one gains."""
    units = costs.units
    rows = np.arange(len(multiples))
    for _ in range(_MAX_PASSES):
        moved = np.zeros(rows.size, dtype=np.bool_)
        for step, move in _basis_moves(grid.basis, goes):
            touched = np.flatnonzero(move)
            index = np.ix_(rows, touched)
            limits = _Costs(*(each[touched] for each in costs))
            by = move[touched]
            gain = _penalised_distance(away[index], at[index], limits)
            gain -= _penalised_distance(away[index] + by, at[index] + by, limits)
            better = gain > 1e-7 * units[touched].min()
            chosen = np.ix_(rows[better], touched)
            away[chosen] += by
            at[chosen] += by
            multiples[rows[better]] += step
            moved |= better
        rows = rows[moved]
        if not rows.size:
            return


def _follower_steps(grid: RoundingGrid) -> Values:
    """Return how far unrounded columns go with each basis member, (n_basis, n_reals).

    Without columns where the equations leave these a choice.
    """
    r = grid.reals.size
    if not r or np.linalg.matrix_rank(grid.A) < r:
        return np.empty((len(grid.basis), 0))
    return np.asarray(
        -mixed_equation_matrix_in_basis(grid).T @ np.linalg.pinv(grid.A).T
    )


def _basis_moves(basis: Integers, reach: Values) -> list[tuple[Integers, Values]]:
    """Return basis members and those sums and differences of two that add something.

    Each with how far it goes in every column. Where two members nowhere pull a column
    in opposite directions, their sum gains only if one of them gains: distances are
    convex, column by column.
    """
    moves = [
        (sign * member, sign * goes)
        for member, goes in zip(basis, reach, strict=True)
        for sign in (1, -1)
    ]
    q = len(basis)
    for i in range(q):
        for j in range(i + 1, q):
            moves += [
                (
                    sign * (basis[i] + turn * basis[j]),
                    sign * (reach[i] + turn * reach[j]),
                )
                for turn in (1, -1)
                if (turn * reach[i] * reach[j] < 0).any()
                for sign in (1, -1)
            ]
    return moves


def _penalised_distance(away: Values, at: Values, costs: _Costs) -> Values:
    """Return distance plus penalty per record, in the columns' own units."""
    excess = np.maximum(costs.low - at, 0.0) + np.maximum(at - costs.high, 0.0)
    return np.asarray(
        np.abs(away) @ (costs.counts * costs.units)
        + _BOUND_PENALTY * excess @ costs.units
    )


def _adjust_unrounded(
    grid: RoundingGrid, multiples: Integers, values: Values
) -> tuple[Values, NDArray[np.bool_]]:
    """Move unrounded columns least so that their equations hold."""
    if not grid.reals.size:
        return values, np.ones(len(multiples), dtype=np.bool_)
    rounded_values = multiples * grid.units
    limits = LinearLimits(
        grid.real_low, grid.real_high, grid.B, grid.c - rounded_values @ grid.H.T
    )
    return project_within_limits_with_mask(
        grid.A, grid.b - rounded_values @ grid.G.T, values, limits
    )


def _solve_by_programme(
    grid: RoundingGrid, multiples: Integers, target: Values, reals: Values
) -> Integers | None:
    """Return multiples of the basis that lead to the nearest solution in bounds.

    Unknowns: the multiples, the changes of unrounded columns, and the distance that
    each column ends up at, whose weighted sum is least.
    """
    q, u, r = len(grid.basis), grid.columns.size, grid.reals.size
    steps = grid.basis.T.astype(np.float64)
    offsets = multiples - target
    rest = grid.b - grid.G @ (multiples * grid.units) - grid.A @ reals
    none, identity = np.zeros, np.eye
    A = np.block(
        [
            [-steps, none((u, r)), identity(u), none((u, r))],
            [steps, none((u, r)), identity(u), none((u, r))],
            [steps, none((u, r + u + r))],
            [none((r, q)), -identity(r), none((r, u)), identity(r)],
            [none((r, q)), identity(r), none((r, u)), identity(r)],
            [mixed_equation_matrix_in_basis(grid), grid.A, none((rest.size, u + r))],
            [grid.limits @ steps, none((len(grid.most), r + u + r))],
            [
                mixed_inequality_matrix_in_basis(grid),
                grid.B,
                none((len(grid.c), u + r)),
            ],
        ]
    )
    room = grid.c - grid.H @ (multiples * grid.units) - grid.B @ reals
    unlimited = np.full(len(grid.most) + len(grid.c), -np.inf)
    wide = np.full(u + 2 * r, np.inf)
    largest = float(grid.units.max(initial=0.0)) or 1.0
    at_least = [
        offsets,
        -offsets,
        integer_bounds_to_float(grid.low - multiples),
        none(2 * r),
        rest,
        unlimited,
    ]
    at_most = [
        *(
            wide[:u],
            wide[:u],
            integer_bounds_to_float(grid.high - multiples),
            wide[: 2 * r],
        ),
        *(rest, -grid.inequality_excess(multiples), room),
    ]
    unbounded = np.full(q, np.inf)
    answer, _ = IntegerProgramme(
        cost=np.concatenate(
            [none(q + r), grid.units / largest, np.full(r, 1 / largest)]
        ),
        low=np.concatenate([-unbounded, grid.real_low - reals, none(u + r)]),
        high=np.concatenate([unbounded, grid.real_high - reals, wide[: u + r]]),
        A=A,
        row_low=np.concatenate(at_least),
        row_high=np.concatenate(at_most),
        whole=np.arange(q + u + 2 * r) < q,
    ).solve()
    if answer is None:
        return None
    return np.rint(answer[:q]).astype(np.int64)
