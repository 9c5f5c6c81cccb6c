"""Breaches of rules: which records break a rule, how far, and the worst of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.constraints.edits import EditRule
from engine.constraints.linear import (
    RELATIVE_TOLERANCE,
    Bound,
    Equation,
    Inequality,
    Row,
)
from engine.constraints.parsing.syntax import Member
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
        residuals = np.abs(rule_violations_per_record(rule, values))
        return np.asarray(residuals > tolerance * np.maximum(size, 1.0), dtype=np.bool_)
    if isinstance(rule, Inequality):
        mask = np.zeros(len(values), dtype=np.bool_)
        for row in rule.rows:
            over, size = _inequality_residual(row, values)
            mask |= over > ROUNDING_TOLERANCE * size
        return mask
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
    violations = rule_violations_per_record(rule, values)[rows]
    if isinstance(rule, EditRule):
        violations = np.full(rows.size, np.nan)  # it holds or it does not
    order = np.argsort(-np.abs(violations), kind="stable")[:n_worst]
    named = zip(rows[order].tolist(), violations[order].tolist(), strict=True)
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
