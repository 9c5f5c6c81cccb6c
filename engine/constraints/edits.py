"""Edits that are not linear: products, ratios, and what must hold if something does.

Each is a choice among alternatives, of which a record has to satisfy one whole: the
disjunctive normal form of the rule. ``if a > 0 then b = 0`` has the alternatives
``a <= 0`` and ``b = 0``; a ratio has one for either sign of what it is divided by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from engine.constraints.expressions import (
    Names,
    Side,
    Terms,
    Unreadable,
    Word,
    check_names,
    difference,
    names_in,
    only_name,
    parse,
    says_nothing,
    unreadable,
)
from engine.core.errors import ParameterError
from engine.core.typing import Booleans, Values

TOLERANCE = 1e-9
"""Relative to its terms' size, what an equation may be off."""

EPS = float(np.finfo(np.float64).eps)

MOST_ALTERNATIVES = 64
"""In a longer rule people get lost as well."""

_PART = re.compile(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|\b(?P<word>if|then|and|or)\b|.", re.I | re.S
)


@dataclass(frozen=True)
class Comparison:
    """A polynomial of columns compared with 0.

    Attributes
    ----------
    terms : tuple of (columns, factor)
        Positions of the columns that are multiplied, sorted; none for the constant.
    relation : {"<=", "<", "=", "!="}
    """

    terms: tuple[tuple[tuple[int, ...], Fraction], ...]
    relation: str

    @property
    def support(self) -> tuple[int, ...]:
        """Positions of the columns that are compared."""
        return tuple(sorted({j for columns, _ in self.terms for j in columns}))

    @property
    def degree(self) -> int:
        """How many columns the longest product has."""
        return max((len(columns) for columns, _ in self.terms), default=0)

    def sides(self, values: Values) -> tuple[Values, Values]:
        """Return the polynomial's value and its terms' size, each (n_records,)."""
        total = np.zeros(len(values))
        size = np.zeros(len(values))
        for columns, factor in self.terms:
            term = float(factor) * np.prod(values[:, list(columns)], axis=1)
            total += term
            size += np.abs(term)
        return total, size

    def holds(self, values: Values) -> Booleans:
        """Return which records satisfy it, shape (n_records,)."""
        total, size = self.sides(values)
        if self.relation in ("=", "!="):
            equal = np.abs(total) <= TOLERANCE * np.maximum(size, 1.0)
            return np.asarray(equal if self.relation == "=" else ~equal)
        noise = 8.0 * EPS * size
        if self.relation == "<=":
            return np.asarray(total <= noise)
        return np.asarray(total < -noise)

    def negated(self) -> Comparison:
        """Return what holds where this does not."""
        if self.relation in ("=", "!="):
            return replace(self, relation="=" if self.relation == "!=" else "!=")
        opposite = tuple((columns, -factor) for columns, factor in self.terms)
        return Comparison(opposite, "<" if self.relation == "<=" else "<=")

    def at(self, places: Mapping[int, int]) -> Comparison:
        """Return the same about columns that are counted otherwise."""
        terms = tuple(
            (tuple(sorted(places[j] for j in columns)), f) for columns, f in self.terms
        )
        return replace(self, terms=terms)

    @property
    def literal(self) -> tuple[int, str] | None:
        """The column and the number, where one is compared with the other alone."""
        factors = dict(self.terms)
        constant = factors.pop((), Fraction(0))
        if len(factors) != 1 or self.relation not in ("=", "!="):
            return None
        ((columns, factor),) = factors.items()
        if len(columns) != 1:
            return None
        number = -constant / factor
        whole = number.denominator == 1
        return columns[0], str(int(number)) if whole else repr(float(number))


@dataclass(frozen=True)
class Is:
    """A column that has, or has not, one word.

    Attributes
    ----------
    column : int
    word : str
    equal : bool
    code : float
        The word's number in the column; NaN where that is not known yet, and -1 for a
        word that the column does not have.
    """

    column: int
    word: str
    equal: bool
    code: float = float("nan")

    degree = 0

    @property
    def support(self) -> tuple[int, ...]:
        """Position of the column: one."""
        return (self.column,)

    def holds(self, values: Values) -> Booleans:
        """Return which records satisfy it, shape (n_records,)."""
        rank = np.ceil(values[:, self.column] - 0.5)  # between two ranks lies no word
        same = rank == self.code
        return np.asarray(same if self.equal else ~same)

    def negated(self) -> Is:
        """Return what holds where this does not."""
        return replace(self, equal=not self.equal)

    def at(self, places: Mapping[int, int]) -> Is:
        """Return the same about columns that are counted otherwise."""
        return replace(self, column=places[self.column])


Atom = Comparison | Is
Alternative = tuple[Atom, ...]


def _either_side(atom: Atom) -> tuple[Atom, ...]:
    """Return an atom, or what "not equal" leaves on either side of a number."""
    if isinstance(atom, Is) or atom.relation != "!=":
        return (atom,)
    above = tuple((columns, -factor) for columns, factor in atom.terms)
    return Comparison(atom.terms, "<"), Comparison(above, "<")


@dataclass(frozen=True)
class Edit:
    """A rule with alternatives.

    Attributes
    ----------
    text : str
    alternatives : tuple of tuple of Comparison or Is
        A record satisfies the rule if it satisfies everything in one of them.
    """

    text: str
    alternatives: tuple[Alternative, ...]

    @property
    def atoms(self) -> Iterator[Atom]:
        """Everything that is compared."""
        return (atom for alternative in self.alternatives for atom in alternative)

    @property
    def support(self) -> tuple[int, ...]:
        """Positions of the columns that occur."""
        return tuple(sorted({j for atom in self.atoms for j in atom.support}))

    @property
    def words(self) -> tuple[int, ...]:
        """Positions of the columns that are compared with words."""
        return tuple(sorted({a.column for a in self.atoms if isinstance(a, Is)}))

    def broken(self, values: Values) -> Booleans:
        """Return which records satisfy no alternative, shape (n_records,).

        A record that lacks one of the columns breaks nothing.
        """
        held = np.isnan(values[:, list(self.support)]).any(axis=1)
        for alternative in self.alternatives:
            if held.all():
                break
            one = np.ones(len(values), dtype=np.bool_)
            for atom in alternative:
                one &= atom.holds(values)
            held |= one
        return np.asarray(~held)

    @cached_property
    def choices(self) -> tuple[Alternative, ...]:
        """The alternatives, with "not equal" parted into below and above."""
        return tuple(
            pick
            for some in self.alternatives
            for pick in product(*map(_either_side, some))
        )

    def at(self, places: Mapping[int, int]) -> Edit:
        """Return the same about columns that are counted otherwise."""
        return Edit(
            self.text,
            tuple(tuple(a.at(places) for a in some) for some in self.alternatives),
        )

    def knowing(
        self, words: Mapping[int, Mapping[str, int]], columns: Sequence[str]
    ) -> Edit:
        """Return the same with the number of each word.

        Parameters
        ----------
        words : mapping of int to mapping of str to int
            Number of each word of the columns that hold words.
        columns : sequence of str

        Raises
        ------
        ParameterError
            If a column of numbers is compared with a word, or one of words with a
            number in any way but = and !=.
        """

        def known(atom: Atom) -> Atom:
            if isinstance(atom, Comparison):
                holding = [j for j in atom.support if j in words]
                if not holding:
                    return atom
                if atom.literal is None:
                    raise ParameterError(
                        "The rule {rule!r} calculates with column {column!r}, which "
                        "holds words: compare it with one of them by = or !=.",
                        rule=self.text,
                        column=columns[holding[0]],
                    )
                column, text = atom.literal
                atom = Is(column, text, atom.relation == "=")
            if atom.column not in words:
                raise ParameterError(
                    "The rule {rule!r} compares column {column!r} with the word "
                    "{word!r}, but it holds numbers.",
                    rule=self.text,
                    column=columns[atom.column],
                    word=atom.word,
                )
            code = words[atom.column].get(atom.word, -1)
            return replace(atom, code=float(code))

        return Edit(
            self.text, tuple(tuple(map(known, some)) for some in self.alternatives)
        )


Formula = list[Alternative]
"""A disjunctive normal form."""


def read_edit(text: str, columns: tuple[str, ...], known: tuple[str, ...]) -> Edit:
    """Read an if-then rule, or a comparison of products and ratios.

    Parameters
    ----------
    text, columns, known
        As for :func:`engine.constraints.syntax.read_rule`.

    Raises
    ------
    ParameterError
    """
    reader = _Reader(text, columns, known)
    condition, conclusion = _parted(text)
    found = reader.formula(conclusion, strict=False)
    if condition:
        denied = [
            [atom.negated() for atom in alternative]
            for alternative in reader.formula(condition, strict=True)
        ]
        _check_length(text, denied)
        found = [*product(*denied), *found]
    different = dict.fromkeys(tuple(dict.fromkeys(some)) for some in found)
    _check_length(text, [list(different)])
    return Edit(text, tuple(different))


def read_condition(text: str, columns: tuple[str, ...], whole: str) -> Formula:
    """Read comparisons between which stand "and" and "or".

    Parameters
    ----------
    text : str
    columns : tuple of str
        All columns of the table.
    whole : str
        What errors quote: the condition as it was written.

    Raises
    ------
    ParameterError
    """
    return _Reader(whole, columns, columns).formula(_clauses(text), strict=True)


def _clauses(text: str) -> list[list[str]]:
    """Return what "or" parts, of what "and" parts."""
    found = [[""]]
    for part in _PART.finditer(text):
        word = (part["word"] or "").lower()
        if word == "or":
            found.append([""])
        elif word == "and":
            found[-1].append("")
        else:
            found[-1][-1] += part[0]
    return found


def _check_length(text: str, choices: Sequence[Sequence[object]]) -> None:
    count = 1
    for some in choices:
        count *= len(some)
        if count > MOST_ALTERNATIVES:
            raise ParameterError(
                "The rule {rule!r} leaves more than {most} alternatives: write it as "
                "several rules.",
                rule=text,
                most=MOST_ALTERNATIVES,
            )


def _parted(text: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return condition and conclusion: what "or" parts, of what "and" parts.

    Without "if" there is no condition, and the whole text is the conclusion.
    """
    if not re.match(r"\s*if\s", text, re.I):
        return [], [[text]]
    halves = [""]
    for found in _PART.finditer(text):
        word = (found["word"] or "").lower()
        if word == "then" and len(halves) == 1:
            halves.append("")
        elif word != "if" or halves[0].strip():
            halves[-1] += found[0]
    if len(halves) != 2:
        raise ParameterError(
            "The rule {rule!r} cannot be read: write it as in "
            '"if sex = m then pregnancies = 0".',
            rule=text,
        )
    return _clauses(halves[0]), _clauses(halves[1])


class _Reader:
    """What the parts of one rule are read with."""

    def __init__(
        self, text: str, columns: tuple[str, ...], known: tuple[str, ...]
    ) -> None:
        self.text, self.columns, self.known = text, columns, known

    def formula(self, parts: Sequence[Sequence[str]], *, strict: bool) -> Formula:
        """Return what clauses say of which "or" and "and" make a whole."""
        found: Formula = []
        for clauses in parts:
            read = [self.clause(clause, strict) for clause in clauses]
            _check_length(self.text, read)
            found += [tuple(a for one in pick for a in one) for pick in product(*read)]
        return found

    def clause(self, text: str, strict: bool) -> Formula:
        """Return what a chain of comparisons says."""
        sides, relations = parse(text, self.text)
        if {"<", ">"} & set(relations) and not strict:
            raise unreadable(self.text)
        read = [
            self._comparison(left, relation, right)
            for left, relation, right in zip(sides, relations, sides[1:], strict=False)
        ]
        _check_length(self.text, read)
        return [tuple(a for one in pick for a in one) for pick in product(*read)]

    def _comparison(self, left: Side, relation: str, right: Side) -> Formula:
        left, right = self._word(left, right), self._word(right, left)
        if isinstance(left, Word):
            left, right = right, left
        if isinstance(left, Word):
            raise says_nothing(self.text)
        check_names(names_in((left, right)), self.text, self.columns, self.known)
        if isinstance(right, Word):
            name = only_name(left)
            if name is None or relation not in ("=", "!="):
                raise Unreadable(
                    "The rule {rule!r} cannot be read: a word can only be what one "
                    "column is, or is not.",
                    rule=self.text,
                )
            place = self.columns.index(name)
            return [(Is(place, right.text, relation == "="),)]
        if relation in (">=", ">"):
            left, right = right, left
            relation = "<" + relation[1:]
        return self._polynomials(difference(left, right), relation)

    def _word(self, side: Side, other: Side) -> Side:
        """Return a bare name as a word, where it names no column but is compared."""
        name = only_name(side)
        if name is None or name in self.columns or name in self.known:
            return side
        against = only_name(other)
        return Word(name) if against in self.columns else side

    def _polynomials(self, terms: Terms, relation: str) -> Formula:
        """Multiply by what columns divide by, once for each sign it may have."""
        divisors: Names = ()
        for _, below in terms:
            for name in sorted(set(below)):
                lacking = below.count(name) - divisors.count(name)
                divisors = (*divisors, *(name,) * lacking)
        found: dict[tuple[int, ...], Fraction] = {}
        for (above, below), factor in terms.items():
            rest = list(divisors)
            for name in below:
                rest.remove(name)
            place = tuple(sorted(map(self.columns.index, (*above, *rest))))
            found[place] = found.get(place, Fraction(0)) + factor
        kept = tuple((place, f) for place, f in found.items() if f)
        if not any(place for place, _ in kept):
            raise says_nothing(self.text)
        signs = [
            [(self.columns.index(name), sign, divisors.count(name)) for sign in (1, -1)]
            for name in dict.fromkeys(divisors)
        ]
        _check_length(self.text, signs)
        return [self._signed(kept, relation, pick) for pick in product(*signs)]

    @staticmethod
    def _signed(
        terms: tuple[tuple[tuple[int, ...], Fraction], ...],
        relation: str,
        signs: Sequence[tuple[int, int, int]],
    ) -> Alternative:
        times = 1
        for _, sign, power in signs:
            times *= sign**power
        kept = tuple((place, times * factor) for place, factor in terms)
        positive = tuple(
            Comparison((((j,), Fraction(-sign)),), "<") for j, sign, _ in signs
        )
        return (*positive, Comparison(kept, relation))
