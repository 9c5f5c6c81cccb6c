"""Parser of edits (if-then rules, products, ratios, !=) and of record conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from engine.constraints.edits import (
    Alternative,
    EditRule,
    PolynomialComparison,
    WordTest,
)
from engine.constraints.parsing.expressions import (
    Names,
    RuleSyntaxError,
    Side,
    Terms,
    Word,
    check_column_names,
    empty_rule_error,
    iterate_column_names,
    parse_sides_and_relations,
    rule_syntax_error,
    single_column_name,
    subtract_terms,
)
from engine.core.errors import ParameterError

MAX_ALTERNATIVES = 64
"""Alternatives of one rule at most; with more, people get lost as well."""

_TOKEN_PATTERN = re.compile(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|\b(?P<word>if|then|and|or)\b|.", re.I | re.S
)

Formula = list[Alternative]
"""A disjunctive normal form."""


def parse_edit(
    text: str, columns: tuple[str, ...], table_columns: tuple[str, ...]
) -> EditRule:
    """Return the edit that an if-then rule, a product, a ratio or != describes.

    Parameters
    ----------
    text, columns, table_columns
        As for :func:`engine.constraints.parsing.syntax.parse_rule`.

    Raises
    ------
    ParameterError
    """
    reader = _Reader(text, columns, table_columns)
    condition, conclusion = _split_condition(text)
    alternatives = reader.parse_formula(conclusion, strict=False)
    if condition:
        denied = [
            [atom.negated() for atom in alternative]
            for alternative in reader.parse_formula(condition, strict=True)
        ]
        _check_length(text, denied)
        alternatives = [*product(*denied), *alternatives]
    different = dict.fromkeys(tuple(dict.fromkeys(some)) for some in alternatives)
    _check_length(text, [list(different)])
    return EditRule(text, tuple(different))


def parse_condition(text: str, columns: tuple[str, ...], whole_text: str) -> Formula:
    """Return a condition as a list of alternatives, each a tuple of atoms.

    Parameters
    ----------
    text : str
    columns : tuple of str
        All columns of the table.
    whole_text : str
        What errors quote: the condition as it was written.

    Raises
    ------
    ParameterError
    """
    return _Reader(whole_text, columns, columns).parse_formula(
        _split_clauses(text), strict=True
    )


def _split_clauses(text: str) -> list[list[str]]:
    """Split at "or" into alternatives, and those at "and"."""
    alternatives = [[""]]
    for part in _TOKEN_PATTERN.finditer(text):
        word = (part["word"] or "").lower()
        if word == "or":
            alternatives.append([""])
        elif word == "and":
            alternatives[-1].append("")
        else:
            alternatives[-1][-1] += part[0]
    return alternatives


def _check_length(text: str, choices: Sequence[Sequence[object]]) -> None:
    count = 1
    for some in choices:
        count *= len(some)
        if count > MAX_ALTERNATIVES:
            raise ParameterError(
                "The rule {rule!r} leaves more than {most} alternatives: write it as "
                "several rules.",
                rule=text,
                most=MAX_ALTERNATIVES,
            )


def _split_condition(text: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return condition and conclusion, each split at "or" and "and".

    Without "if" there is no condition, and the whole text is the conclusion.
    """
    if not re.match(r"\s*if\s", text, re.I):
        return [], [[text]]
    halves = [""]
    for token in _TOKEN_PATTERN.finditer(text):
        word = (token["word"] or "").lower()
        if word == "then" and len(halves) == 1:
            halves.append("")
        elif word != "if" or halves[0].strip():
            halves[-1] += token[0]
    if len(halves) != 2:
        raise ParameterError(
            "The rule {rule!r} cannot be read: write it as in "
            '"if sex = m then pregnancies = 0".',
            rule=text,
        )
    return _split_clauses(halves[0]), _split_clauses(halves[1])


class _Reader:
    """What the parts of one rule are read with."""

    def __init__(
        self, text: str, columns: tuple[str, ...], known_columns: tuple[str, ...]
    ) -> None:
        self.text, self.columns, self.known = text, columns, known_columns

    def parse_formula(self, parts: Sequence[Sequence[str]], *, strict: bool) -> Formula:
        """Return what clauses say of which "or" and "and" make a whole."""
        ways: Formula = []
        for clauses in parts:
            read = [self.parse_clause(clause, strict) for clause in clauses]
            _check_length(self.text, read)
            ways += [tuple(a for way in pick for a in way) for pick in product(*read)]
        return ways

    def parse_clause(self, text: str, strict: bool) -> Formula:
        """Return what a chain of comparisons says."""
        sides, relations = parse_sides_and_relations(text, self.text)
        if {"<", ">"} & set(relations) and not strict:
            raise rule_syntax_error(self.text)
        read = [
            self._comparison(left, relation, right)
            for left, relation, right in zip(sides, relations, sides[1:], strict=False)
        ]
        _check_length(self.text, read)
        return [tuple(a for way in pick for a in way) for pick in product(*read)]

    def _comparison(self, left_side: Side, relation: str, right: Side) -> Formula:
        left_side, right = self._word(left_side, right), self._word(right, left_side)
        if isinstance(left_side, Word):
            left_side, right = right, left_side
        if isinstance(left_side, Word):
            raise empty_rule_error(self.text)
        check_column_names(
            iterate_column_names((left_side, right)),
            self.text,
            self.columns,
            self.known,
        )
        if isinstance(right, Word):
            name = single_column_name(left_side)
            if name is None or relation not in ("=", "!="):
                raise RuleSyntaxError(
                    "The rule {rule!r} cannot be read: a word can only be what one "
                    "column is, or is not.",
                    rule=self.text,
                )
            place = self.columns.index(name)
            return [(WordTest(place, right.text, relation == "="),)]
        if relation in (">=", ">"):
            left_side, right = right, left_side
            relation = "<" + relation[1:]
        return self._polynomials(subtract_terms(left_side, right), relation)

    def _word(self, side: Side, opposite: Side) -> Side:
        """Return a bare name as a word, where it names no column but is compared."""
        name = single_column_name(side)
        if name is None or name in self.columns or name in self.known:
            return side
        against = single_column_name(opposite)
        return Word(name) if against in self.columns else side

    def _polynomials(self, terms: Terms, relation: str) -> Formula:
        """Multiply by what columns divide by, once for each sign it may have."""
        divisors: Names = ()
        for _, below in terms:
            for name in sorted(set(below)):
                lacking = below.count(name) - divisors.count(name)
                divisors = (*divisors, *(name,) * lacking)
        factors: dict[tuple[int, ...], Fraction] = {}
        for (above, below), factor in terms.items():
            rest = list(divisors)
            for name in below:
                rest.remove(name)
            place = tuple(sorted(map(self.columns.index, (*above, *rest))))
            factors[place] = factors.get(place, Fraction(0)) + factor
        nonzero_terms = tuple((place, f) for place, f in factors.items() if f)
        if not any(place for place, _ in nonzero_terms):
            raise empty_rule_error(self.text)
        signs = [
            [(self.columns.index(name), sign, divisors.count(name)) for sign in (1, -1)]
            for name in dict.fromkeys(divisors)
        ]
        _check_length(self.text, signs)
        return [self._signed(nonzero_terms, relation, pick) for pick in product(*signs)]

    @staticmethod
    def _signed(
        terms: tuple[tuple[tuple[int, ...], Fraction], ...],
        relation: str,
        signs: Sequence[tuple[int, int, int]],
    ) -> Alternative:
        times = 1
        for _, sign, power in signs:
            times *= sign**power
        signed_terms = tuple((place, times * factor) for place, factor in terms)
        positive = tuple(
            PolynomialComparison((((j,), Fraction(-sign)),), "<")
            for j, sign, _ in signs
        )
        return (*positive, PolynomialComparison(signed_terms, relation))
