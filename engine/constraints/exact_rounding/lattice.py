"""Integer solutions of linear equations: a solution and a lattice basis.

Values with d decimals are whole numbers of units 10**-d, so that equations between
rounded values are equations between whole numbers. Everything here is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

Row = list[int]


def eliminate_columns(
    rows: Sequence[Sequence[Fraction]], columns: Sequence[int]
) -> list[list[Fraction]]:
    """Return the equations between the other columns, with some columns eliminated.

    Parameters
    ----------
    rows : sequence of sequences of Fraction
        Factors and, last, the constant of each equation.
    columns : sequence of int
        Columns to eliminate: they may take any value.
    """
    equations = [list(row) for row in rows]
    for column in columns:
        at = next((i for i, row in enumerate(equations) if row[column]), None)
        if at is None:
            continue
        pivot = equations.pop(at)
        for i, row in enumerate(equations):
            share = row[column] / pivot[column]
            equations[i] = [a - share * b for a, b in zip(row, pivot, strict=True)]
    return [row for row in equations if any(row)]


def equation_in_integer_units(
    row: Sequence[Fraction], columns: Sequence[int], decimals_per_column: Sequence[int]
) -> tuple[Row, int] | None:
    """Return an equation as coprime whole factors and a whole constant, else None."""
    factors = [
        row[j] / 10**places
        for j, places in zip(columns, decimals_per_column, strict=True)
    ]
    scale = lcm(*(factor.denominator for factor in factors))
    whole = [int(factor * scale) for factor in factors]
    common = gcd(*whole)
    if not common:
        return None
    constant = row[-1] * scale / common
    if constant.denominator != 1:
        return None
    return [factor // common for factor in whole], int(constant)


def integer_solution_and_basis(
    rows: Sequence[tuple[Row, int]], n_unknowns: int
) -> tuple[Row, list[Row]] | None:
    """Return an integer solution and a lattice basis of others, or None if insoluble.

    The columns of the equations are combined by Euclid's algorithm until each
    equation has one column of its own (Hermite's normal form; Schrijver 1986, Theory
    of Linear and Integer Programming, section 4.1).

    Parameters
    ----------
    rows : sequence of (factors, constant)
    n_unknowns : int
        Number of unknowns.

    Returns
    -------
    (solution, basis) or None
        Every solution is the one given plus whole multiples of the basis. None if
        there is none.
    """
    # One line per combined column: its factor in each equation, then its recipe.
    combined = [
        [factors[j] for factors, _ in rows] + [int(i == j) for i in range(n_unknowns)]
        for j in range(n_unknowns)
    ]
    m, done = len(rows), 0
    solution = [0] * n_unknowns
    for at, (factors, constant) in enumerate(rows):
        rest = constant - sum(a * x for a, x in zip(factors, solution, strict=True))
        while True:
            open_lines = [line for line in combined[done:] if line[at]]
            if len(open_lines) < 2:
                break
            lowest = min(open_lines, key=lambda line: abs(line[at]))
            for line in open_lines:
                if line is not lowest:
                    times = line[at] // lowest[at]
                    line[:] = [a - times * b for a, b in zip(line, lowest, strict=True)]
        if not open_lines:
            if rest:
                return None
            continue
        pivot = open_lines[0]
        if rest % pivot[at]:
            return None
        times = rest // pivot[at]
        solution = [x + times * a for x, a in zip(solution, pivot[m:], strict=True)]
        combined.remove(pivot)
        combined.insert(done, pivot)
        done += 1
    return solution, [line[m:] for line in combined[done:]]


def shorten_lattice_basis(
    basis: list[Row], column_units: Sequence[Fraction]
) -> list[Row]:
    """Return a basis of the same lattice, its vectors not longer in `column_units`.

    Multiples of one are taken from another while that shortens it, in pairs, as Gauss
    reduces two of them.

    Parameters
    ----------
    basis : list of list of int
    column_units : sequence of Fraction
        What 1 is worth in each column.
    """
    vectors = [list(member) for member in basis]
    shorter = True
    while shorter:
        shorter = False
        for i in range(len(vectors)):
            trial = shorten_point_by_lattice(
                vectors[i], vectors[:i] + vectors[i + 1 :], column_units
            )
            shorter |= trial != vectors[i]
            vectors[i] = trial
    return vectors


def shorten_point_by_lattice(
    point: Row, basis: Sequence[Row], column_units: Sequence[Fraction]
) -> Row:
    """Return a point moved by lattice steps while each brings it nearer to the origin.

    Parameters
    ----------
    point : list of int
    basis : sequence of list of int
    column_units : sequence of Fraction
        What 1 is worth in each column.
    """
    squares = [unit * unit for unit in column_units]

    def product(a: Row, b: Row) -> Fraction:
        return sum(
            (s * x * y for s, x, y in zip(squares, a, b, strict=True)), Fraction(0)
        )

    has_moved = True
    while has_moved:
        has_moved = False
        for step in basis:
            times = round(product(point, step) / product(step, step))
            trial = [a - times * b for a, b in zip(point, step, strict=True)]
            if times and product(trial, trial) < product(point, point):
                point, has_moved = trial, True
    return point
