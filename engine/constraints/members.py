"""Evaluate single rules on records, and rewrite them in other terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from engine.constraints.edits import Edit
from engine.constraints.linear import Bound, Equation, Inequality, Linear, Row
from engine.constraints.nearest import RELATIVE_TOLERANCE
from engine.constraints.syntax import Member
from engine.core.typing import Values

ROUNDING_TOLERANCE = 8.0 * float(np.finfo(np.float64).eps)
"""What adding up may leave of an inequality that holds, relative to its terms."""


@dataclass(frozen=True)
class RuleBreach:
    """Records that break one rule.

    Attributes
    ----------
    text : str
        The rule.
    records : int
        How many records break it.
    worst : tuple of (int, float)
        Row, counted from 0, and residual (left side less right side; for bounds and
        inequalities, how far beyond) of the records that break it most, worst first.
        Of edits of other kinds NaN: they hold or they do not.
    """

    text: str
    records: int
    worst: tuple[tuple[int, float], ...]


def residual(member: Member, values: Values) -> Values:
    """Return left minus right side, or the distance from the bounds, (n_records,).

    1 where an edit that is not linear is broken, else 0. NaN where a value lacks.

    Parameters
    ----------
    member : Member
    values : ndarray of float64, shape (n_records, n_columns)
    """
    if isinstance(member, Equation):
        columns, factors = _equation_factors(member)
        return np.asarray(values[:, columns] @ factors - float(member.constant))
    if isinstance(member, Inequality):
        over = [_inequality_residual(row, values)[0] for row in member.rows]
        return np.asarray(np.maximum(np.max(over, axis=0), 0.0))
    if isinstance(member, Edit):
        lacking = np.isnan(values[:, list(member.support)]).any(axis=1)
        return np.where(lacking, np.nan, member.broken(values))
    x = values[:, member.column]
    low, high = _bound_limits(member)
    return np.asarray(np.maximum(x - high, 0.0) - np.maximum(low - x, 0.0))


def is_broken(
    member: Member, values: Values, tolerance: float = RELATIVE_TOLERANCE
) -> NDArray[np.bool_]:
    """Return which records break a rule, (n_records,).

    Parameters
    ----------
    member : Member
    values : ndarray of float64, shape (n_records, n_columns)
    tolerance : float
        How far the sides of an equation may differ, relative to its terms' size.
    """
    if isinstance(member, Equation):
        columns, factors = _equation_factors(member)
        size = np.abs(values[:, columns]) @ np.abs(factors)
        size += abs(float(member.constant))
        away = np.abs(residual(member, values))
        return np.asarray(away > tolerance * np.maximum(size, 1.0), dtype=np.bool_)
    if isinstance(member, Inequality):
        found = np.zeros(len(values), dtype=np.bool_)
        for row in member.rows:
            over, size = _inequality_residual(row, values)
            found |= over > ROUNDING_TOLERANCE * size
        return found
    if isinstance(member, Edit):
        return member.broken(values)
    x = values[:, member.column]
    low, high = _bound_limits(member)
    return np.asarray((x < low) | (x > high), dtype=np.bool_)


def measure_breach(member: Member, values: Values, worst: int) -> RuleBreach:
    """Return how many records break a rule, and the `worst` few.

    Parameters
    ----------
    member : Member
    values : ndarray of float64, shape (n_records, n_columns)
    worst : int
    """
    rows = np.flatnonzero(is_broken(member, values))
    away = residual(member, values)[rows]
    if isinstance(member, Edit):
        away = np.full(rows.size, np.nan)  # it holds or it does not
    order = np.argsort(-np.abs(away), kind="stable")[:worst]
    named = zip(rows[order].tolist(), away[order].tolist(), strict=True)
    return RuleBreach(member.text, int(rows.size), tuple(named))


def _equation_factors(equation: Equation) -> tuple[list[int], Values]:
    columns = list(equation.support)
    return columns, np.array([float(equation.factors[j]) for j in columns])


def _inequality_residual(row: Row, values: Values) -> tuple[Values, Values]:
    """Return left less right side of an inequality, and its terms' size."""
    columns = [j for j, factor in enumerate(row[0]) if factor]
    factors = np.array([float(row[0][j]) for j in columns])
    constant = float(row[1])
    size = np.abs(values[:, columns]) @ np.abs(factors) + abs(constant)
    return values[:, columns] @ factors - constant, size


def _bound_limits(bound: Bound) -> tuple[float, float]:
    low = -np.inf if bound.low is None else float(bound.low)
    return low, np.inf if bound.high is None else float(bound.high)


def rules_about(members: Sequence[Member], kept: Sequence[int]) -> tuple[Member, ...]:
    """Return the rules that name no other columns than these, in their order.

    Parameters
    ----------
    members : sequence of Member
    kept : sequence of int
        Positions of the columns that there are.
    """
    found: list[Member] = []
    for member in members:
        if not set(member.support) <= set(kept):
            continue
        if isinstance(member, Equation):
            factors = tuple(member.factors[j] for j in kept)
            found.append(Equation(member.text, factors, member.constant))
        elif isinstance(member, Inequality):
            rows = tuple((tuple(f[j] for j in kept), c) for f, c in member.rows)
            found.append(Inequality(member.text, rows))
        elif isinstance(member, Edit):
            found.append(member.with_positions({j: at for at, j in enumerate(kept)}))
        else:
            at = kept.index(member.column)
            found.append(Bound(member.text, at, member.low, member.high))
    return tuple(found)


def rescale_rules(
    members: Sequence[Linear], centre: Values, scale: Values
) -> tuple[Member, ...]:
    """Return the rules on ``(values - centre) / scale``.

    Parameters
    ----------
    members : sequence of Equation, Bound or Inequality
    centre, scale : ndarray of float64, shape (n_columns,)
    """
    centres = list(map(Fraction, centre.tolist()))
    scales = list(map(Fraction, scale.tolist()))
    found: list[Member] = []
    for member in members:
        if isinstance(member, Equation):
            row = _rescale_row((member.factors, member.constant), centres, scales)
            found.append(Equation(member.text, *row))
        elif isinstance(member, Inequality):
            rows = tuple(_rescale_row(row, centres, scales) for row in member.rows)
            found.append(Inequality(member.text, rows))
        else:
            at, unit = centres[member.column], scales[member.column]
            low, high = (
                None if limit is None else (limit - at) / unit
                for limit in (member.low, member.high)
            )
            found.append(Bound(member.text, member.column, low, high))
    return tuple(found)


def rules_with_word_codes(
    members: Sequence[Member],
    columns: Sequence[str],
    words: Mapping[str, Mapping[str, int]],
) -> Iterator[Member]:
    """Give the same rules with the number of each word.

    Parameters
    ----------
    members : sequence of Member
    columns : sequence of str
    words : mapping of str to mapping of str to int
        The columns that hold words, and the number of each.

    Raises
    ------
    ParameterError
    """
    known = {at: words[name] for at, name in enumerate(columns) if name in words}
    for member in members:
        if isinstance(member, Edit):
            yield member.with_word_codes(known, columns)
        else:
            yield member


def _rescale_row(
    row: Row, centres: Sequence[Fraction], scales: Sequence[Fraction]
) -> Row:
    terms = list(zip(row[0], centres, scales, strict=True))
    factors = tuple(factor * unit for factor, _, unit in terms)
    shift = sum((factor * at for factor, at, _ in terms), Fraction(0))
    return factors, row[1] - shift


def connected_columns(members: Sequence[Member], n: int) -> list[list[int]]:
    """Return the connected components of columns that share rules.

    Parameters
    ----------
    members : sequence of Member
    n : int
        Number of columns.
    """
    of = list(range(n))
    for member in members:
        together = {of[j] for j in member.support}
        of = [min(together) if part in together else part for part in of]
    return [[j for j in range(n) if of[j] == part] for part in sorted(set(of))]


def missing_patterns(
    holes: NDArray[np.bool_],
) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Return the records that lack the same columns, as (columns lacking, rows).

    Parameters
    ----------
    holes : ndarray of bool, shape (n_records, n_columns)
    """
    if not holes.any():
        return [(np.zeros(holes.shape[1], dtype=np.bool_), np.arange(len(holes)))]
    kinds, which = np.unique(holes, axis=0, return_inverse=True)
    return [
        (kind, np.flatnonzero(which.ravel() == at)) for at, kind in enumerate(kinds)
    ]
