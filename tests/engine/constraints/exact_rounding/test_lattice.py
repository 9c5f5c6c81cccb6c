"""Whole-number solutions: all of them, and none where there is none."""

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.exact_rounding.lattice import (
    eliminate_columns,
    equation_in_integer_units,
    integer_solution_and_basis,
    shorten_lattice_basis,
)

REACH = 4
whole = st.integers(-5, 5)
systems = st.lists(
    st.tuples(st.lists(whole, min_size=3, max_size=3), whole), max_size=3
)


def holds(rows, x):
    return all(sum(a * v for a, v in zip(f, x, strict=True)) == c for f, c in rows)


@given(systems)
def test_solutions_are_found_exactly_where_there_are_some(rows):
    every = [x for x in product(range(-REACH, REACH + 1), repeat=3) if holds(rows, x)]
    answer = integer_solution_and_basis(rows, 3)
    if answer is None:
        assert not every
        return
    solution, basis = answer
    assert holds(rows, solution)
    assert all(holds([(f, 0) for f, _ in rows], step) for step in basis)
    if not basis:
        assert all(list(x) == solution for x in every)
        return
    for x in every:  # each one is the solution plus whole steps
        steps = map(list, zip(*basis, strict=True))
        difference = [a - b for a, b in zip(x, solution, strict=True)]
        equations = list(zip(steps, difference, strict=True))
        assert integer_solution_and_basis(equations, len(basis)) is not None


def test_a_shortened_basis_spans_the_same_lattice():
    basis = [[100, 1, 0], [99, 1, 7]]
    short = shorten_lattice_basis(basis, [Fraction(1)] * 3)
    columns = list(zip(*short, strict=True))
    for member in basis:
        equations = [(list(c), v) for c, v in zip(columns, member, strict=True)]
        assert integer_solution_and_basis(equations, 2) is not None
    assert sum(v * v for v in short[0]) <= 10001


def test_an_equation_in_units_has_no_common_factor():
    row = [Fraction(116, 100), Fraction(107, 100), Fraction(-1), Fraction(0)]
    assert equation_in_integer_units(row, (0, 1, 2), (0, 0, 2)) == ([116, 107, -1], 0)
    assert equation_in_integer_units(row, (0, 1, 2), (0, 0, 0)) == ([116, 107, -100], 0)
    odd = [Fraction(2), Fraction(2), Fraction(0), Fraction(3)]
    assert equation_in_integer_units(odd, (0, 1, 2), (0, 0, 0)) is None


def test_eliminating_a_column_keeps_what_the_others_must_obey():
    a_is_m = [Fraction(1), Fraction(0), Fraction(-1), Fraction(0)]
    b_is_m = [Fraction(0), Fraction(1), Fraction(-1), Fraction(0)]
    (equation,) = eliminate_columns([a_is_m, b_is_m], [2])
    assert equation[0] == -equation[1] != 0
    assert equation[2] == equation[3] == 0
    assert eliminate_columns([a_is_m], [2]) == []
