"""Non-linear rules (edits): products, ratios and implications.

Each is a choice among alternatives, of which a record has to satisfy one whole: the
disjunctive normal form of the rule. ``if a > 0 then b = 0`` has the alternatives
``a <= 0`` and ``b = 0``; a ratio has one for either sign of what it is divided by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from engine.core.errors import ParameterError
from engine.core.typing import Booleans, Values

EQUATION_TOLERANCE = 1e-9
"""Relative to its terms' size, what an equation may be off."""

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class PolynomialComparison:
    """Comparison of a polynomial of columns with 0.

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
        """Positions of the columns in the polynomial."""
        return tuple(sorted({j for columns, _ in self.terms for j in columns}))

    @property
    def degree(self) -> int:
        """Degree: number of columns in the longest product."""
        return max((len(columns) for columns, _ in self.terms), default=0)

    def sides(self, values: Values) -> tuple[Values, Values]:
        """Return the polynomial's value and its terms' magnitude, each (n_records,)."""
        total = np.zeros(len(values))
        size = np.zeros(len(values))
        for columns, factor in self.terms:
            term = float(factor) * np.prod(values[:, list(columns)], axis=1)
            total += term
            size += np.abs(term)
        return total, size

    def holds(self, values: Values) -> Booleans:
        """Return a bool mask of records that satisfy the comparison, (n_records,)."""
        total, size = self.sides(values)
        if self.relation in ("=", "!="):
            equal = np.abs(total) <= EQUATION_TOLERANCE * np.maximum(size, 1.0)
            return np.asarray(equal if self.relation == "=" else ~equal)
        noise = 8.0 * EPS * size
        if self.relation == "<=":
            return np.asarray(total <= noise)
        return np.asarray(total < -noise)

    def negated(self) -> PolynomialComparison:
        """Return the negated comparison."""
        if self.relation in ("=", "!="):
            return replace(self, relation="=" if self.relation == "!=" else "!=")
        opposite = tuple((columns, -factor) for columns, factor in self.terms)
        return PolynomialComparison(opposite, "<" if self.relation == "<=" else "<=")

    def with_positions(self, places: Mapping[int, int]) -> PolynomialComparison:
        """Return the comparison with its columns renumbered."""
        terms = tuple(
            (tuple(sorted(places[j] for j in columns)), f) for columns, f in self.terms
        )
        return replace(self, terms=terms)

    @property
    def literal(self) -> tuple[int, str] | None:
        """Column and number as text, for a column compared with a number by = or !=."""
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
class WordTest:
    """Test whether a column has, or does not have, a given word.

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
        """Position of the tested column, as a tuple."""
        return (self.column,)

    def holds(self, values: Values) -> Booleans:
        """Return a bool mask of records that satisfy the test, shape (n_records,)."""
        rank = np.ceil(values[:, self.column] - 0.5)  # between two ranks lies no word
        same = rank == self.code
        return np.asarray(same if self.equal else ~same)

    def negated(self) -> WordTest:
        """Return the negated test."""
        return replace(self, equal=not self.equal)

    def with_positions(self, places: Mapping[int, int]) -> WordTest:
        """Return the test with its column renumbered."""
        return replace(self, column=places[self.column])


Atom = PolynomialComparison | WordTest
Alternative = tuple[Atom, ...]


def _split_not_equal(atom: Atom) -> tuple[Atom, ...]:
    """Return an atom, or the two strict inequalities of a "not equal"."""
    if isinstance(atom, WordTest) or atom.relation != "!=":
        return (atom,)
    above = tuple((columns, -factor) for columns, factor in atom.terms)
    return PolynomialComparison(atom.terms, "<"), PolynomialComparison(above, "<")


@dataclass(frozen=True)
class EditRule:
    """A rule with several alternatives: a record must satisfy all conditions of one.

    Attributes
    ----------
    text : str
    alternatives : tuple of tuple of PolynomialComparison or WordTest
        A record satisfies the rule if it satisfies everything in one of them.
    """

    text: str
    alternatives: tuple[Alternative, ...]

    @property
    def atoms(self) -> Iterator[Atom]:
        """All atomic conditions of the edit."""
        return (atom for alternative in self.alternatives for atom in alternative)

    @property
    def support(self) -> tuple[int, ...]:
        """Positions of the columns in the edit."""
        return tuple(sorted({j for atom in self.atoms for j in atom.support}))

    @property
    def word_columns(self) -> tuple[int, ...]:
        """Positions of the columns compared with words."""
        return tuple(sorted({a.column for a in self.atoms if isinstance(a, WordTest)}))

    def broken(self, values: Values) -> Booleans:
        """Return a bool mask of records that satisfy no alternative, (n_records,).

        A record that lacks one of the columns breaks nothing.
        """
        unbroken_mask = np.isnan(values[:, list(self.support)]).any(axis=1)
        for alternative in self.alternatives:
            if unbroken_mask.all():
                break
            alternative_mask = np.ones(len(values), dtype=np.bool_)
            for atom in alternative:
                alternative_mask &= atom.holds(values)
            unbroken_mask |= alternative_mask
        return np.asarray(~unbroken_mask)

    @cached_property
    def choices(self) -> tuple[Alternative, ...]:
        """Alternatives, with "not equal" split into "below" and "above"."""
        return tuple(
            pick
            for some in self.alternatives
            for pick in product(*map(_split_not_equal, some))
        )

    def with_positions(self, places: Mapping[int, int]) -> EditRule:
        """Return the edit with its columns renumbered."""
        return EditRule(
            self.text,
            tuple(
                tuple(a.with_positions(places) for a in some)
                for some in self.alternatives
            ),
        )

    def with_word_codes(
        self, words: Mapping[int, Mapping[str, int]], columns: Sequence[str]
    ) -> EditRule:
        """Return the edit with each word replaced by its code.

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
            if isinstance(atom, PolynomialComparison):
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
                atom = WordTest(column, text, atom.relation == "=")
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

        return EditRule(
            self.text, tuple(tuple(map(known, some)) for some in self.alternatives)
        )
