"""Parser of one rule: an equation, a bound, an inequality, or an edit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from engine.constraints.edits import EditRule
from engine.constraints.linear import Bound, Equation, Inequality
from engine.constraints.parsing.expressions import (
    CONSTANT_TERM,
    Side,
    Terms,
    check_column_names,
    empty_rule_error,
    is_linear,
    iterate_column_names,
    parse_sides_and_relations,
    reject_unquoted_words,
    rule_syntax_error,
    subtract_terms,
)
from engine.constraints.parsing.read_edits import parse_edit
from engine.core.errors import ParameterError

Member = Equation | Bound | Inequality | EditRule

_IF_PATTERN = re.compile(r"\s*if\s", re.IGNORECASE)


def is_if_then_rule(text: str) -> bool:
    """Return whether a rule begins with "if"."""
    return _IF_PATTERN.match(text) is not None


def parse_rule(
    text: str, columns: tuple[str, ...], table_columns: tuple[str, ...] = ()
) -> Member:
    """Return a rule parsed from a text such as ``"net + tax = gross"``.

    Parameters
    ----------
    text : str
    columns : tuple of str
        The columns that may occur.
    table_columns : tuple of str, optional
        All columns of the table, to tell a wrong name from a wrong role.

    Raises
    ------
    ParameterError
        If it cannot be read, or names a column that is not in `columns`.
    """
    if is_if_then_rule(text):
        return parse_edit(text, columns, table_columns)
    sides, relations = parse_sides_and_relations(text, text)
    if not is_linear(sides) or relations == ["!="]:
        if relations != ["!="]:
            _check_relations(text, relations)
        return parse_edit(text, columns, table_columns)
    if table_columns and relations == ["="]:
        reject_unquoted_words(sides, text, table_columns)
    check_column_names(iterate_column_names(sides), text, columns, table_columns)
    if not any(above for side in sides if isinstance(side, dict) for above, _ in side):
        raise empty_rule_error(text)
    terms = [_linear_terms(side) for side in sides]
    _check_relations(text, relations)
    if relations == ["="]:
        factors, constant = _factor_row(terms[0], terms[1], columns)
        if not any(factors):
            raise empty_rule_error(text)
        return Equation(text, factors, constant)
    return _parse_inequality(text, terms, relations, columns)


def _check_relations(text: str, relations: Sequence[str]) -> None:
    if {"<", ">", "!="} & set(relations):
        raise rule_syntax_error(text)
    if relations != ["="] and "=" in relations:
        raise ParameterError(
            "The rule {rule!r} must have exactly one equals sign, as in "
            '"net + tax = gross", or compare, as in "0 <= age <= 120".',
            rule=text,
        )
    if len(set(relations)) > 1:
        raise ParameterError(
            "The rule {rule!r} cannot be read: write bounds in one direction, as in "
            '"0 <= age <= 120".',
            rule=text,
        )


def _linear_terms(side: Side) -> Terms:
    assert isinstance(side, dict)
    return side


def _factor_row(
    left_terms: Terms, right: Terms, columns: tuple[str, ...]
) -> tuple[tuple[Fraction, ...], Fraction]:
    """Return left - right as factors of the columns, and what they are to add up to."""
    moved = subtract_terms(left_terms, right)
    constant = -moved.pop(CONSTANT_TERM, Fraction(0))
    return tuple(moved.get(((c,), ()), Fraction(0)) for c in columns), constant


def _parse_inequality(
    text: str, terms: list[Terms], relations: list[str], columns: tuple[str, ...]
) -> Bound | Inequality:
    """Return what a chain of comparisons says: a bound where all are of one column."""
    rows = []
    for pair in pairwise(terms):
        left, right = pair if relations[0] == "<=" else pair[::-1]
        factors, constant = _factor_row(left, right, columns)
        if not any(factors):
            raise empty_rule_error(text)
        rows.append((factors, constant))
    bound = {j for factors, _ in rows for j, factor in enumerate(factors) if factor}
    if len(bound) > 1:
        return Inequality(text, tuple(rows))
    (column,) = bound
    lows = [c / f[column] for f, c in rows if f[column] < 0]
    highs = [c / f[column] for f, c in rows if f[column] > 0]
    return Bound(text, column, max(lows, default=None), min(highs, default=None))
