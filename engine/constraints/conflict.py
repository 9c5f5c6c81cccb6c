"""Rules that no record can satisfy together: which ones, and no more than needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from engine.constraints.syntax import Bound, Equation
from engine.core.solver import Programme

Member = Equation | Bound


def minimal_conflict(
    members: Sequence[Member], possible: Callable[[Sequence[Member]], bool]
) -> tuple[Member, ...]:
    """Return rules that exclude each other, of which none can be left out.

    Empty if all are possible together. Each rule is left out once, the last one
    first, and stays out if the others still exclude each other (deletion filter of
    Chinneck and Dravnieks 1991, doi:10.1287/ijoc.3.2.157).

    Parameters
    ----------
    members : sequence of Equation or Bound
    possible : callable
        Whether some rules can be met together.
    """
    if possible(members):
        return ()
    kept = list(members)
    for member in reversed(list(members)):
        others = [each for each in kept if each is not member]
        if not possible(others):
            kept = others
    return tuple(kept)


def satisfiable(members: Sequence[Member]) -> bool:
    """Return whether numbers exist that meet all rules.

    Equations alone, and bounds alone, are judged in exact arithmetic; together, by a
    linear programme.
    """
    equations, bounds = parted(members)
    limits = meet(bounds)
    if any(
        low is not None and high is not None and low > high
        for low, high in limits.values()
    ):
        return False
    if not consistent(equations):
        return False
    if not equations or not bounds:
        return True
    A = np.array([_scaled(equation)[0] for equation in equations])
    b = np.array([_scaled(equation)[1] for equation in equations])
    n = A.shape[1]
    low, high = as_arrays(limits, n)
    _, impossible = Programme(np.zeros(n), low, high, A, b, b).solve()
    return not impossible


def parted(members: Sequence[Member]) -> tuple[list[Equation], list[Bound]]:
    """Return equations and bounds apart."""
    equations = [each for each in members if isinstance(each, Equation)]
    return equations, [each for each in members if isinstance(each, Bound)]


def meet(
    bounds: Sequence[Bound],
) -> dict[int, tuple[Fraction | None, Fraction | None]]:
    """Return the tightest low and high of each bounded column."""
    found: dict[int, tuple[Fraction | None, Fraction | None]] = {}
    for bound in bounds:
        low, high = found.get(bound.column, (None, None))
        if bound.low is not None:
            low = bound.low if low is None else max(low, bound.low)
        if bound.high is not None:
            high = bound.high if high is None else min(high, bound.high)
        found[bound.column] = low, high
    return found


def as_arrays(
    limits: dict[int, tuple[Fraction | None, Fraction | None]], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return low and high per column, each (n,), infinite where there is no bound."""
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    for column, (least, most) in limits.items():
        low[column] = -np.inf if least is None else float(least)
        high[column] = np.inf if most is None else float(most)
    return low, high


def consistent(equations: Sequence[Equation]) -> bool:
    """Return whether some numbers meet all equations, in exact arithmetic."""
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


def _scaled(equation: Equation) -> tuple[list[float], float]:
    """Return factors and constant over the largest factor."""
    largest = max(map(abs, equation.factors))
    factors = [float(factor / largest) for factor in equation.factors]
    return factors, float(equation.constant / largest)
