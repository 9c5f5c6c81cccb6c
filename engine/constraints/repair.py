"""Repair of records that break edits: search for the alternatives of least change.

A depth-first search with bounds: values first keep the linear rules alone; where they
break an edit, each of its alternatives is added to the rules in turn. What keeps more
rules is never nearer, so that a branch ends where something nearer is known. A product
becomes linear by holding columns where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from engine.constraints.conflict import comparison_to_linear_rule
from engine.constraints.edits import Alternative, EditRule, PolynomialComparison
from engine.constraints.linear import Bound, Linear
from engine.core.typing import Booleans, Integers, Values

MAX_BRANCHES = 3_000
"""Branches that are followed at most for one set of records."""

MAX_HELD_COLUMNS = 4
"""Columns of a product of which any may be held; of more, all but one."""

Solve = Callable[[Sequence[Linear], Values], tuple[Values, Booleans]]
"""Nearest values that keep linear rules, and where there are any."""


@dataclass(frozen=True)
class RepairTask:
    """Rules that repaired records must satisfy, with functions to solve and compare.

    Attributes
    ----------
    members : tuple of Equation, Bound or Inequality
    edits : tuple of EditRule
    decimals : tuple of int, one per column
        -1 where a column is not rounded.
    solve : callable
    distance : callable
        Distances between two arrays of values, shape (n_records,).
    kept : callable
        Which records keep every rule, shape (n_records,).
    """

    members: tuple[Linear, ...]
    edits: tuple[EditRule, ...]
    decimals: tuple[int, ...]
    solve: Solve
    distance: Callable[[Values, Values], Values]
    kept: Callable[[Values], Booleans]


def repair_with_success_mask(
    task: RepairTask, values: Values
) -> tuple[Values, Booleans]:
    """Return the nearest values found that satisfy all rules, and a success mask.

    Parameters
    ----------
    task : RepairTask
    values : ndarray of float64, shape (n_records, n_columns)
        Without missing values.
    """
    search = _Search(task, values)
    search.visit_branch(_Branch(), np.arange(len(values)))
    return search.found, np.isfinite(search.best)


@dataclass(frozen=True)
class _Branch:
    """A branch of the search: linear rules, alternatives chosen, products held."""

    path: tuple[Linear, ...] = ()
    chosen: Mapping[int, Alternative] = field(default_factory=dict)
    bent: frozenset[tuple[int, int]] = frozenset()


class _Search:
    """Depth-first search for the nearest values that keep linear rules and edits."""

    def __init__(self, task: RepairTask, values: Values) -> None:
        self.task, self.values = task, values
        self.found = values.copy()
        self.best = np.full(len(values), np.inf)
        self.visits = 0

    def visit_branch(self, branch: _Branch, rows: Integers) -> None:
        """Search a branch for values of these records."""
        if not rows.size or self.visits >= MAX_BRANCHES:
            return
        self.visits += 1
        points, met_mask = self.task.solve(
            (*self.task.members, *branch.path), self.values[rows]
        )
        near = met_mask & (self._distance(rows, points) < self.best[rows])
        rows, points = rows[near], points[near]
        unbroken_mask = np.ones(rows.size, dtype=np.bool_)
        for number, edit in enumerate(self.task.edits):
            broken = unbroken_mask & edit.broken(points)
            unbroken_mask &= ~broken
            some = rows[broken]
            if not some.size:
                continue
            if number in branch.chosen:
                self._bend(branch, number, some, points[broken])
            else:
                self._choose(branch, number, some, points[broken])
        self._accept(rows[unbroken_mask], points[unbroken_mask])

    def _choose(
        self, branch: _Branch, number: int, rows: Integers, points: Values
    ) -> None:
        """Try each alternative of an edit."""
        p = points.shape[1]
        text = self.task.edits[number].text
        for alternative in self.task.edits[number].choices:
            open_rows = np.ones(rows.size, dtype=np.bool_)
            added = []
            for atom in alternative:
                if isinstance(atom, PolynomialComparison):
                    member = comparison_to_linear_rule(
                        atom, p, text, self._margin(atom)
                    )
                    if member is not None:
                        added.append(member)
                    elif atom.degree == 0:
                        open_rows &= atom.holds(points)
                else:  # words do not move
                    open_rows &= atom.holds(points)
            now = {**branch.chosen, number: alternative}
            after = _Branch((*branch.path, *added), now, branch.bent)
            self.visit_branch(after, rows[open_rows])

    def _bend(
        self, branch: _Branch, number: int, rows: Integers, points: Values
    ) -> None:
        """Make the broken products of a chosen alternative linear."""
        for at, atom in enumerate(branch.chosen[number]):
            if not isinstance(atom, PolynomialComparison) or atom.degree < 2:
                continue
            broken = ~atom.holds(points)
            if not broken.any():
                continue
            if (number, at) in branch.bent:
                return
            bent = branch.bent | {(number, at)}
            rows, points = rows[broken], points[broken]
            solved = self._solved(atom, rows, points)
            for row, point in zip(rows[~solved], points[~solved], strict=True):
                single_row = np.array([row])
                for held_rules in self._holdings(atom, point):
                    after = _Branch((*branch.path, *held_rules), branch.chosen, bent)
                    self.visit_branch(after, single_row)
            return

    def _solved(
        self, atom: PolynomialComparison, rows: Integers, points: Values
    ) -> Booleans:
        """Set one column so that a product holds, where all else holds then too."""
        done = np.zeros(rows.size, dtype=np.bool_)
        for j in atom.support:
            rest, slope = np.zeros(rows.size), np.zeros(rows.size)
            if any(columns.count(j) > 1 for columns, _ in atom.terms):
                continue
            for columns, factor in atom.terms:
                others = [i for i in columns if i != j]
                term = float(factor) * np.prod(points[:, others], axis=1)
                if j in columns:
                    slope += term
                else:
                    rest += term
            solvable_mask = slope != 0.0
            trial = points.copy()
            trial[solvable_mask, j] = -rest[solvable_mask] / slope[solvable_mask]
            places = self.task.decimals[j]
            if places >= 0:
                trial[:, j] = np.rint(trial[:, j] * 10.0**places) / 10.0**places + 0.0
            solvable_mask &= self.task.kept(trial)
            self._accept(rows[solvable_mask], trial[solvable_mask])
            done |= solvable_mask
        return done

    def _holdings(
        self, atom: PolynomialComparison, point: Values
    ) -> Iterator[list[Linear]]:
        """Give ways to make a product linear: columns held, and what is left."""
        support = atom.support
        p = point.size
        for size in range(1, len(support)):
            if len(support) > MAX_HELD_COLUMNS and size < len(support) - 1:
                continue
            for held_columns in combinations(support, size):
                if not _is_linear_without(atom, held_columns):
                    continue
                for values in product(*(self._near(j, point[j]) for j in held_columns)):
                    column_values = dict(zip(held_columns, values, strict=True))
                    rest = _with(atom, column_values)
                    member = comparison_to_linear_rule(rest, p, "", self._margin(rest))
                    fixed: list[Linear] = [
                        Bound("", j, value, value) for j, value in column_values.items()
                    ]
                    if member is not None:
                        yield [*fixed, member]
                    elif rest.holds(point[None])[0]:
                        yield fixed

    def _near(self, j: int, value: float) -> tuple[Fraction, ...]:
        """Return values at which a column may be held: its own, and the next ones."""
        places = self.task.decimals[j]
        if places < 0:
            return (Fraction(value),)
        unit = Fraction(1, 10**places)
        grid_value = round(value * 10**places) * unit
        return grid_value, grid_value - unit, grid_value + unit

    def _margin(self, atom: PolynomialComparison) -> Fraction:
        """Return how far a strict comparison stays away from its bound."""
        if all(self.task.decimals[j] >= 0 for j in atom.support):
            # Less than a unit is enough: what is rounded then is a whole one away.
            units = [
                abs(f) / 10 ** sum(self.task.decimals[j] for j in columns)
                for columns, f in atom.terms
                if columns
            ]
            return min(units, default=Fraction(1)) / 10**6
        constant = sum(
            (abs(f) for columns, f in atom.terms if not columns), Fraction(0)
        )
        return max(Fraction(1), constant) / 10**6

    def _distance(self, rows: Integers, points: Values) -> Values:
        return self.task.distance(self.values[rows], points)

    def _accept(self, rows: NDArray[np.int64], points: Values) -> None:
        """Remember points that keep every rule and are nearer than any before."""
        distances = self._distance(rows, points)
        better = distances < self.best[rows]
        self.best[rows[better]] = distances[better]
        self.found[rows[better]] = points[better]


def _is_linear_without(atom: PolynomialComparison, held_terms: Sequence[int]) -> bool:
    return all(
        sum(j not in held_terms for j in columns) < 2 for columns, _ in atom.terms
    )


def _with(
    atom: PolynomialComparison, terms: dict[int, Fraction]
) -> PolynomialComparison:
    """Return what is left of a polynomial when some columns have values."""
    factors: dict[tuple[int, ...], Fraction] = {}
    for columns, factor in atom.terms:
        rest = tuple(j for j in columns if j not in terms)
        for j in columns:
            factor *= terms.get(j, Fraction(1))
        factors[rest] = factors.get(rest, Fraction(0)) + factor
    return PolynomialComparison(
        tuple((c, f) for c, f in factors.items() if f), atom.relation
    )
