"""Breaches of rules, rules for fewer, scaled or coded columns, and patterns of gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from engine.constraints.edits import EditRule
from engine.constraints.linear import Bound, Equation, Inequality, Linear, Row
from engine.constraints.parsing.syntax import Member
from engine.constraints.projection import RELATIVE_TOLERANCE
from engine.core.typing import Values

ROUNDING_TOLERANCE = 8.0 * float(np.finfo(np.float64).eps)
"""What adding up may leave of an inequality that holds, relative to its terms."""


@dataclass(frozen=True)
class RuleBreach:
    """Number of records that break one rule, and the worst of them.

    Attributes
    ----------
    text : str
        The rule.
    records : int
        How many records break it.
    worst : tuple of (int, float)
        Row, counted from 0, and residual (left side less right side; for bounds and
        inequalities, how far beyond) of the records that break it most, worst first.
        NaN for edits, which hold or do not.
    """

    text: str
    records: int
    worst: tuple[tuple[int, float], ...]


def rule_violations_per_record(rule: Member, values: Values) -> Values:
    """Return how far each record breaks a rule, signed; 1 or 0 for edits, (n_records,).

    1 where an edit that is not linear is broken, else 0. NaN where a value lacks.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records, n_columns)
    """
    if isinstance(rule, Equation):
        columns, factors = _equation_factors(rule)
        return np.asarray(values[:, columns] @ factors - float(rule.constant))
    if isinstance(rule, Inequality):
        over = [_inequality_residual(row, values)[0] for row in rule.rows]
        return np.asarray(np.maximum(np.max(over, axis=0), 0.0))
    if isinstance(rule, EditRule):
        lacking = np.isnan(values[:, list(rule.support)]).any(axis=1)
        return np.where(lacking, np.nan, rule.broken(values))
    x = values[:, rule.column]
    low, high = _bound_limits(rule)
    return np.asarray(np.maximum(x - high, 0.0) - np.maximum(low - x, 0.0))


def rule_breach_mask(
    rule: Member, values: Values, tolerance: float = RELATIVE_TOLERANCE
) -> NDArray[np.bool_]:
    """Return a bool mask of the records that break a rule, shape (n_records,).

    Parameters
    ----------
    values : ndarray of float64, shape (n_records, n_columns)
    tolerance : float
        How far the sides of an equation may differ, relative to its terms' size.
    """
    if isinstance(rule, Equation):
        columns, factors = _equation_factors(rule)
        size = np.abs(values[:, columns]) @ np.abs(factors)
        size += abs(float(rule.constant))
        away = np.abs(rule_violations_per_record(rule, values))
        return np.asarray(away > tolerance * np.maximum(size, 1.0), dtype=np.bool_)
    if isinstance(rule, Inequality):
        found = np.zeros(len(values), dtype=np.bool_)
        for row in rule.rows:
            over, size = _inequality_residual(row, values)
            found |= over > ROUNDING_TOLERANCE * size
        return found
    if isinstance(rule, EditRule):
        return rule.broken(values)
    x = values[:, rule.column]
    low, high = _bound_limits(rule)
    return np.asarray((x < low) | (x > high), dtype=np.bool_)


def count_and_rank_violations(rule: Member, values: Values, n_worst: int) -> RuleBreach:
    """Return how many records break a rule, and up to `n_worst` of the worst of them.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records, n_columns)
    n_worst : int
    """
    rows = np.flatnonzero(rule_breach_mask(rule, values))
    away = rule_violations_per_record(rule, values)[rows]
    if isinstance(rule, EditRule):
        away = np.full(rows.size, np.nan)  # it holds or it does not
    order = np.argsort(-np.abs(away), kind="stable")[:n_worst]
    named = zip(rows[order].tolist(), away[order].tolist(), strict=True)
    return RuleBreach(rule.text, int(rows.size), tuple(named))


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


def restrict_rules_to_columns(
    rules: Sequence[Member], columns: Sequence[int]
) -> tuple[Member, ...]:
    """Return the rules that involve only the given columns, which are renumbered.

    Parameters
    ----------
    rules : sequence of Member
    columns : sequence of int
        Positions of the columns that there are.
    """
    found: list[Member] = []
    for member in rules:
        if not set(member.support) <= set(columns):
            continue
        if isinstance(member, Equation):
            factors = tuple(member.factors[j] for j in columns)
            found.append(Equation(member.text, factors, member.constant))
        elif isinstance(member, Inequality):
            rows = tuple((tuple(f[j] for j in columns), c) for f, c in member.rows)
            found.append(Inequality(member.text, rows))
        elif isinstance(member, EditRule):
            found.append(member.with_positions({j: at for at, j in enumerate(columns)}))
        else:
            at = columns.index(member.column)
            found.append(Bound(member.text, at, member.low, member.high))
    return tuple(found)


def rescale_rules(
    rules: Sequence[Linear], centre: Values, scale: Values
) -> tuple[Member, ...]:
    """Return the rules rewritten for ``(values - centre) / scale``.

    Parameters
    ----------
    rules : sequence of Equation, Bound or Inequality
    centre, scale : ndarray of float64, shape (n_columns,)
    """
    centres = list(map(Fraction, centre.tolist()))
    scales = list(map(Fraction, scale.tolist()))
    found: list[Member] = []
    for member in rules:
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


def iterate_rules_with_word_codes(
    rules: Sequence[Member],
    columns: Sequence[str],
    word_codes: Mapping[int, Mapping[str, int]],
) -> Iterator[Member]:
    """Yield the rules, with the code of each word that an edit tests.

    Parameters
    ----------
    rules : sequence of Member
    columns : sequence of str
    word_codes : mapping of int to mapping of str to int
        Positions of the columns that hold words, and the number of each.

    Raises
    ------
    ParameterError
    """
    for member in rules:
        if isinstance(member, EditRule):
            yield member.with_word_codes(word_codes, columns)
        else:
            yield member


def _rescale_row(
    row: Row, centres: Sequence[Fraction], scales: Sequence[Fraction]
) -> Row:
    terms = list(zip(row[0], centres, scales, strict=True))
    factors = tuple(factor * unit for factor, _, unit in terms)
    shift = sum((factor * at for factor, at, _ in terms), Fraction(0))
    return factors, row[1] - shift


def connected_column_groups(rules: Sequence[Member], n_columns: int) -> list[list[int]]:
    """Return the connected components of all columns, linked by sharing a rule.

    Parameters
    ----------
    rules : sequence of Member
    n_columns : int
        Number of columns.
    """
    of = list(range(n_columns))
    for member in rules:
        together = {of[j] for j in member.support}
        of = [min(together) if part in together else part for part in of]
    return [[j for j in range(n_columns) if of[j] == part] for part in sorted(set(of))]


def missing_patterns(
    is_missing: NDArray[np.bool_],
) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Return each pattern of missing columns, with the rows that have the pattern.

    Parameters
    ----------
    is_missing : ndarray of bool, shape (n_records, n_columns)
    """
    if not is_missing.any():
        return [
            (np.zeros(is_missing.shape[1], dtype=np.bool_), np.arange(len(is_missing)))
        ]
    kinds, which = np.unique(is_missing, axis=0, return_inverse=True)
    return [
        (kind, np.flatnonzero(which.ravel() == at)) for at, kind in enumerate(kinds)
    ]
