"""Reading comparisons as they were typed: sums of products of numbers and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from engine.core.errors import ParameterError
from engine.core.message import Message

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?)"
    r"|`(?P<quoted>[^`]+)`|(?P<name>[^\W\d][\w.]*)"
    r"|(?P<single>'[^']*')|(?P<double>\"[^\"]*\")"
    r"|(?P<relation>==?|<=|>=|≤|≥|!=|≠|<|>)|(?P<sign>[-+])|(?P<times>[*/]))"
)
_RELATIONS = {"==": "=", "≤": "<=", "≥": ">=", "≠": "!="}

# The grammar, of a rule's shape: one letter for each token. Repetitions are possessive,
# so that no text takes longer than its length.
_SHAPE = dict(
    number="1",
    quoted="x",
    name="x",
    single="w",
    double="w",
    relation="=",
    sign="+",
    times="*",
)
_PRODUCT = r"[1x](?:\*[1x])*+"
_SIDE = rf"(?:w|\+?{_PRODUCT}(?:\+{_PRODUCT})*+)"
_RULE = re.compile(rf"{_SIDE}(?:={_SIDE})++")
_TERM = re.compile(rf"(=?)(?:(w)|(\+?)({_PRODUCT}))")

Names = tuple[str, ...]

Monomial = tuple[Names, Names]
"""Columns that are multiplied, and columns that divide, each sorted."""

NUMBER: Monomial = ((), ())

Terms = dict[Monomial, Fraction]
"""Factor of each product of columns; that of :data:`NUMBER` is the constant."""


class Unreadable(ParameterError):
    """A rule, or a condition, is no sentence of the grammar."""


@dataclass(frozen=True)
class Word:
    """A side that is a word, as in ``sex = "m"``."""

    text: str


Side = Terms | Word


def parse(text: str, rule: str) -> tuple[list[Side], list[str]]:
    """Return the sides of a chain of comparisons, and the relations between them.

    Parameters
    ----------
    text : str
    rule : str
        What errors quote: the whole rule that the text is a part of.

    Raises
    ------
    ParameterError
    """
    shape, words, at = "", [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise unreadable(rule)
        shape += _SHAPE[str(match.lastgroup)]
        words.append(match[str(match.lastgroup)])
        at = match.end()
    if "=" not in shape:
        raise Unreadable(
            "The rule {rule!r} must have exactly one equals sign, as in "
            '"net + tax = gross", or compare, as in "age >= 0" or "net <= gross".',
            rule=rule,
        )
    if not _RULE.fullmatch(shape):
        raise unreadable(rule)
    sides: list[Side] = [{}]
    relations = []
    for term in _TERM.finditer(shape):
        if term[1]:
            relation = words[term.start(1)]
            relations.append(_RELATIONS.get(relation, relation))
            sides.append({})
        if term[2]:
            sides[-1] = Word(words[term.start(2)][1:-1])
            continue
        negative = bool(term[3]) and words[term.start(3)] == "-"
        monomial, factor = _product(shape, words, term.span(4), rule)
        side = sides[-1]
        assert isinstance(side, dict)
        side[monomial] = side.get(monomial, Fraction(0)) + (
            -factor if negative else factor
        )
    return sides, relations


def _product(
    shape: str, words: Sequence[str], span: tuple[int, int], rule: str
) -> tuple[Monomial, Fraction]:
    """Return the columns of a product, and its factor."""
    above, below, factor, divides = list[str](), list[str](), Fraction(1), False
    for at in range(*span):
        if shape[at] == "*":
            divides = words[at] == "/"
        elif shape[at] == "x":
            (below if divides else above).append(words[at])
        else:
            number = Fraction(words[at])
            if divides and not number:
                raise unreadable(rule)
            factor = factor / number if divides else factor * number
    return (tuple(sorted(above)), tuple(sorted(below))), factor


def difference(left: Terms, right: Terms) -> Terms:
    """Return left - right without the products that cancel out."""
    found = dict(left)
    for monomial, factor in right.items():
        found[monomial] = found.get(monomial, Fraction(0)) - factor
    return {each: f for each, f in found.items() if f or each == NUMBER}


def linear(sides: Sequence[Side]) -> bool:
    """Return whether no side multiplies or divides columns, or is a word."""
    return all(
        isinstance(side, dict)
        and all(len(above) < 2 and not below for above, below in side)
        for side in sides
    )


def names_in(sides: Sequence[Side]) -> Iterator[str]:
    """Give the columns that sides name."""
    for side in sides:
        if isinstance(side, dict):
            for above, below in side:
                yield from above
                yield from below


def check_names(
    names: Iterator[str], rule: str, columns: Sequence[str], known: Sequence[str]
) -> None:
    """Refuse names of no column, or of one that a rule cannot bind.

    Raises
    ------
    ParameterError
    """
    for name in names:
        if name in columns:
            continue
        if known and name not in known:
            near = get_close_matches(name, known, n=1)
            if near:
                raise ParameterError(
                    "The rule {rule!r} names {name!r}, but the table has no such "
                    "column: did you mean {near!r}?",
                    rule=rule,
                    name=name,
                    near=near,
                )
            raise ParameterError(
                "The rule {rule!r} names {name!r}, but the table has no such column.",
                rule=rule,
                name=name,
            )
        raise ParameterError(
            "The rule {rule!r} names {name!r}, which is not a quasi-identifier: a "
            "rule can only bind columns that are protected together.",
            rule=rule,
            name=name,
        )


def only_name(side: Side) -> str | None:
    """Return the name of a side that is one column and nothing else."""
    if isinstance(side, Word) or len(side) != 1:
        return None
    (((above, below), factor),) = side.items()
    return above[0] if len(above) == 1 and not below and factor == 1 else None


def check_words(sides: Sequence[Side], rule: str, known: Sequence[str]) -> None:
    """Refuse a word without quotes that is compared with a column.

    Outside of conditions it might be the name of a column as well, wrongly written.

    Raises
    ------
    ParameterError
    """
    names = tuple(map(only_name, sides))
    for column, word in (names, names[::-1]):
        new = word is not None and word not in known
        if new and column in known and not get_close_matches(str(word), known, n=1):
            raise ParameterError(
                "The rule {rule!r} names {name!r}, but the table has no such column: "
                "if it is a word of column {column!r}, put it between quotes, as in "
                "{example!r}.",
                rule=rule,
                name=word,
                column=column,
                example=f"{column} = '{word}'",
            )


def says_nothing(rule: str) -> ParameterError:
    """Return the error about a rule whose columns cancel out."""
    return ParameterError("The rule {rule!r} says nothing about any column.", rule=rule)


def unreadable(rule: str) -> Unreadable:
    """Return the error about a rule that is none, with the likeliest reason."""
    bare = re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"", " = ", rule)
    parts = re.sub(r"\b(if|then|and|or)\b", " = ", bare, flags=re.IGNORECASE)
    if re.search(r"\d,\d", bare):
        how = Message("write numbers with a decimal point")
    elif re.search(r"[^\W\d]\w*\s+\w", parts):
        how = Message(
            "put words of several parts between quotes, and names of columns with "
            "blanks between backquotes, as in \"if region = 'North East' then "
            '`net pay` = 0"'
        )
    elif parts != bare and not re.match(r"\s*if\s", rule, re.IGNORECASE):
        how = Message(
            '"and" and "or" stand in conditions, as in "if sex = m and age <= 15 then '
            'income = 0": write a rule for each comparison'
        )
    elif re.search(r"[<>](?!=)", rule):
        how = Message(
            "write <= and >= for bounds, since < and > leave out the bound itself"
        )
    else:
        how = Message(
            'write it as numbers times columns, as in "1.16*exp16 + 1.07*exp7 = '
            'total", or as a condition, as in "if sex = m then pregnancies = 0"'
        )
    return Unreadable("The rule {rule!r} cannot be read: {how}.", rule=rule, how=how)
