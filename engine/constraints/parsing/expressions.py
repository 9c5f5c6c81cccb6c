"""Parser of comparisons between sums of products of columns; checks on their sides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from engine.core.errors import ParameterError
from engine.core.message import Message

_TOKEN_PATTERN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?)"
    r"|`(?P<quoted>(?:[^`]|``)++)`|(?P<name>[^\W\d][\w.]*)"
    r"|(?P<single>'[^']*')|(?P<double>\"[^\"]*\")"
    r"|(?P<relation>==?|<=|>=|≤|≥|!=|≠|<|>)|(?P<sign>[-+])|(?P<times>[*/]))"
)
_RELATION_SYMBOLS = {"==": "=", "≤": "<=", "≥": ">=", "≠": "!="}

# The grammar, of a rule's shape: one letter for each token. Repetitions are possessive,
# so that no text takes longer than its length.
_TOKEN_SHAPES = dict(
    number="1",
    quoted="x",
    name="x",
    single="w",
    double="w",
    relation="=",
    sign="+",
    times="*",
)
_PRODUCT_PATTERN = r"[1x](?:\*[1x])*+"
_SIDE_PATTERN = rf"(?:w|\+?{_PRODUCT_PATTERN}(?:\+{_PRODUCT_PATTERN})*+)"
_RULE_PATTERN = re.compile(rf"{_SIDE_PATTERN}(?:={_SIDE_PATTERN})++")
_TERM_PATTERN = re.compile(rf"(=?)(?:(w)|(\+?)({_PRODUCT_PATTERN}))")

_PLAIN_NAME_PATTERN = re.compile(r"(?!(?i:if|then|and|or)$)[^\W\d][\w.]*")

Names = tuple[str, ...]

Monomial = tuple[Names, Names]
"""Columns that are multiplied, and columns that divide, each sorted."""

CONSTANT_TERM: Monomial = ((), ())

Terms = dict[Monomial, Fraction]
"""Factor of each product of columns; that of :data:`CONSTANT_TERM` is the constant."""


class RuleSyntaxError(ParameterError):
    """Error that a rule or a condition violates the grammar."""


@dataclass(frozen=True)
class Word:
    """Side of a comparison that is a word, as in ``sex = "m"``."""

    text: str


Side = Terms | Word


def quote_column_name(name: str) -> str:
    """Return a column's name as rules write it: between backquotes unless it is plain.

    A backquote in the name is written twice.
    """
    if _PLAIN_NAME_PATTERN.fullmatch(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def parse_sides_and_relations(
    text: str, whole_rule: str
) -> tuple[list[Side], list[str]]:
    """Return the sides of a chain of comparisons, and the relations between sides.

    Parameters
    ----------
    text : str
    whole_rule : str
        What errors quote: the whole rule that the text is a part of.

    Raises
    ------
    ParameterError
    """
    shape, words, at = "", [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN_PATTERN.match(text, at)
        if match is None:
            raise rule_syntax_error(whole_rule)
        kind = str(match.lastgroup)
        shape += _TOKEN_SHAPES[kind]
        word = match[kind]
        words.append(word.replace("``", "`") if kind == "quoted" else word)
        at = match.end()
    if "=" not in shape:
        raise RuleSyntaxError(
            "The rule {rule!r} must have exactly one equals sign, as in "
            '"net + tax = gross", or compare, as in "age >= 0" or "net <= gross".',
            rule=whole_rule,
        )
    if not _RULE_PATTERN.fullmatch(shape):
        raise rule_syntax_error(whole_rule)
    sides: list[Side] = [{}]
    relations = []
    for term in _TERM_PATTERN.finditer(shape):
        if term[1]:
            relation = words[term.start(1)]
            relations.append(_RELATION_SYMBOLS.get(relation, relation))
            sides.append({})
        if term[2]:
            sides[-1] = Word(words[term.start(2)][1:-1])
            continue
        negative = bool(term[3]) and words[term.start(3)] == "-"
        monomial, factor = _parse_product(shape, words, term.span(4), whole_rule)
        side = sides[-1]
        assert isinstance(side, dict)
        side[monomial] = side.get(monomial, Fraction(0)) + (
            -factor if negative else factor
        )
    return sides, relations


def _parse_product(
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
                raise rule_syntax_error(rule)
            factor = factor / number if divides else factor * number
    return (tuple(sorted(above)), tuple(sorted(below))), factor


def subtract_terms(left: Terms, right: Terms) -> Terms:
    """Return the terms of left - right, without column products that cancel out."""
    difference = dict(left)
    for monomial, factor in right.items():
        difference[monomial] = difference.get(monomial, Fraction(0)) - factor
    return {each: f for each, f in difference.items() if f or each == CONSTANT_TERM}


def is_linear(sides: Sequence[Side]) -> bool:
    """Return whether all sides are linear in the columns, without words."""
    return all(
        isinstance(side, dict)
        and all(len(above) < 2 and not below for above, below in side)
        for side in sides
    )


def iterate_column_names(sides: Sequence[Side]) -> Iterator[str]:
    """Yield the names of the columns in the sides, repeats included."""
    for side in sides:
        if isinstance(side, dict):
            for above, below in side:
                yield from above
                yield from below


def check_column_names(
    used_names: Iterator[str],
    rule: str,
    allowed_columns: Sequence[str],
    table_columns: Sequence[str],
) -> None:
    """Raise for names that are no column, or a column that rules cannot bind.

    Raises
    ------
    ParameterError
    """
    for name in used_names:
        if name in allowed_columns:
            continue
        if table_columns and name not in table_columns:
            near = get_close_matches(name, table_columns, n=1)
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


def single_column_name(side: Side) -> str | None:
    """Return the column name if a side is a single column, else None."""
    if isinstance(side, Word) or len(side) != 1:
        return None
    (((above, below), factor),) = side.items()
    return above[0] if len(above) == 1 and not below and factor == 1 else None


def reject_unquoted_words(
    sides: Sequence[Side], rule: str, table_columns: Sequence[str]
) -> None:
    """Raise if a column is compared with an unquoted word, unlike any column.

    Outside of conditions it might be the name of a column as well, wrongly written.

    Raises
    ------
    ParameterError
    """
    names = tuple(map(single_column_name, sides))
    for column, word in (names, names[::-1]):
        new = word is not None and word not in table_columns
        if (
            new
            and column in table_columns
            and not get_close_matches(str(word), table_columns, n=1)
        ):
            raise ParameterError(
                "The rule {rule!r} names {name!r}, but the table has no such column: "
                "if it is a word of column {column!r}, put it between quotes, as in "
                "{example!r}.",
                rule=rule,
                name=word,
                column=column,
                example=f"{column} = '{word}'",
            )


def empty_rule_error(rule: str) -> ParameterError:
    """Return the error for a rule that says nothing about any column."""
    return ParameterError("The rule {rule!r} says nothing about any column.", rule=rule)


def rule_syntax_error(rule: str) -> RuleSyntaxError:
    """Return the error for an invalid rule, with the likeliest reason."""
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
    return RuleSyntaxError(
        "The rule {rule!r} cannot be read: {how}.", rule=rule, how=how
    )
