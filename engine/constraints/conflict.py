"""Minimal conflicts among rules, satisfiability of rules, and their arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice, product
from math import prod

import numpy as np

from engine.constraints.edits import Atom, EditRule, PolynomialComparison
from engine.constraints.linear import Bound, Equation, Inequality, Linear, Row
from engine.constraints.parsing.syntax import Member
from engine.core.numerics.solver import IntegerProgramme

MAX_ALTERNATIVE_COMBINATIONS = 500
"""Combinations of alternatives tried before rules are taken to be satisfiable."""


def find_minimal_conflict(
    rules: Sequence[Member], are_satisfiable: Callable[[Sequence[Member]], bool]
) -> tuple[Member, ...]:
    """Return a minimal set of rules that cannot be met together; empty if all can.

    Each rule is left out once, the last one first, and stays out if the others still
    exclude each other (deletion filter of Chinneck and Dravnieks 1991,
    doi:10.1287/ijoc.3.2.157).

    Parameters
    ----------
    rules : sequence of Member
    are_satisfiable : callable
        Whether some rules can be met together.
    """
    if are_satisfiable(rules):
        return ()
    conflict = list(rules)
    for member in reversed(list(rules)):
        others = [each for each in conflict if each is not member]
        if not are_satisfiable(others):
            conflict = others
    return tuple(conflict)


def is_satisfiable(rules: Sequence[Member]) -> bool:
    """Return whether some values satisfy all rules; True if that stays open.

    Equations alone, and bounds alone, are judged in exact arithmetic; together and
    with inequalities, by a linear programme. Of other edits some combination of
    alternatives has to be possible, as far as these are linear.
    """
    edits = [each for each in rules if isinstance(each, EditRule)]
    linear = [each for each in rules if not isinstance(each, EditRule)]
    n = 1 + max((j for member in rules for j in member.support), default=0)
    for pick in islice(
        product(*(edit.choices for edit in edits)), MAX_ALTERNATIVE_COMBINATIONS
    ):
        implied = [comparison_to_linear_rule(atom, n) for some in pick for atom in some]
        if _is_linear_satisfiable([*linear, *(rule for rule in implied if rule)]):
            return True
    combinations = prod(len(edit.choices) for edit in edits)
    return combinations > MAX_ALTERNATIVE_COMBINATIONS


def comparison_to_linear_rule(
    atom: Atom, n_columns: int, rule_text: str = "", margin: Fraction = Fraction(0)
) -> Linear | None:
    """Return an atom as a linear rule; None for words, !=, products, constants.

    Parameters
    ----------
    atom : PolynomialComparison or WordTest
    n_columns : int
        Number of columns.
    rule_text : str
        The rule that it comes from.
    margin : Fraction
        By how much a strict comparison stays away from its bound.
    """
    if (
        not isinstance(atom, PolynomialComparison)
        or atom.degree != 1
        or atom.relation == "!="
    ):
        return None
    factors = {columns[0]: f for columns, f in atom.terms if columns}
    constant = -sum((f for columns, f in atom.terms if not columns), Fraction(0))
    if atom.relation == "<":
        constant -= margin
    if len(factors) == 1 and atom.relation != "=":
        ((column, factor),) = factors.items()
        limit = constant / factor
        ends = (None, limit) if factor > 0 else (limit, None)
        return Bound(rule_text, column, *ends)
    row = tuple(factors.get(j, Fraction(0)) for j in range(n_columns))
    if atom.relation == "=":
        return Equation(rule_text, row, constant)
    return Inequality(rule_text, ((row, constant),))


def _is_linear_satisfiable(members: Sequence[Linear]) -> bool:
    equations, bounds = split_equations_and_bounds(members)
    rows = collect_inequality_rows(members)
    limits = intersect_bounds(bounds)
    if any(
        low is not None and high is not None and low > high
        for low, high in limits.values()
    ):
        return False
    if not is_consistent(equations):
        return False
    if not rows and (not equations or not bounds):
        return True
    exact = [(equation.factors, equation.constant) for equation in equations]
    A, high_side = scaled_rows_as_arrays([*exact, *rows], len([*exact, *rows][0][0]))
    low_side = high_side.copy()
    low_side[len(exact) :] = -np.inf
    low, high = bounds_as_arrays(limits, A.shape[1])
    programme = IntegerProgramme(
        np.zeros(A.shape[1]), low, high, A, low_side, high_side
    )
    return not programme.solve()[1]


def collect_inequality_rows(rules: Sequence[Member]) -> list[Row]:
    """Return the rows of all inequalities among rules."""
    return [row for each in rules if isinstance(each, Inequality) for row in each.rows]


def split_equations_and_bounds(
    rules: Sequence[Member],
) -> tuple[list[Equation], list[Bound]]:
    """Return the equations and the bounds among rules, as two lists."""
    equations = [each for each in rules if isinstance(each, Equation)]
    return equations, [each for each in rules if isinstance(each, Bound)]


def intersect_bounds(
    bounds: Sequence[Bound],
) -> dict[int, tuple[Fraction | None, Fraction | None]]:
    """Return the tightest low and high of each bounded column."""
    limits: dict[int, tuple[Fraction | None, Fraction | None]] = {}
    for bound in bounds:
        low, high = limits.get(bound.column, (None, None))
        if bound.low is not None:
            low = bound.low if low is None else max(low, bound.low)
        if bound.high is not None:
            high = bound.high if high is None else min(high, bound.high)
        limits[bound.column] = low, high
    return limits


def bounds_as_arrays(
    bounds_by_column: dict[int, tuple[Fraction | None, Fraction | None]], n_columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return each column's lower and upper bound, each (n,), infinite if unbounded."""
    low, high = np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
    for column, (lower, upper) in bounds_by_column.items():
        low[column] = -np.inf if lower is None else float(lower)
        high[column] = np.inf if upper is None else float(upper)
    return low, high


def is_consistent(equations: Sequence[Equation]) -> bool:
    """Return whether a system of equations has a solution, by exact arithmetic."""
    reduced: list[tuple[int, list[Fraction]]] = []
    for equation in equations:
        row = [*equation.factors, equation.constant]
        for pivot, other in reduced:
            share = row[pivot]
            if share:
                row = [a - share * b for a, b in zip(row, other, strict=True)]
        pivot = next((j for j, factor in enumerate(row[:-1]) if factor), -1)
        if pivot >= 0:
            reduced.append((pivot, [factor / row[pivot] for factor in row]))
        elif row[-1]:
            return False
    return True


def scaled_rows_as_arrays(
    rows: Sequence[Row], n_columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (factors, constants), each row divided by its largest |factor|."""
    scaled = [
        [float(each / max(map(abs, factors))) for each in (*factors, constant)]
        for factors, constant in rows
    ]
    matrix = np.array(scaled).reshape(len(rows), n_columns + 1)
    return matrix[:, :-1], matrix[:, -1]
