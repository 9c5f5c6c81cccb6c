"""Reading one rule as it was typed: an equation, or a bound of one column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from engine.core.errors import ParameterError
from engine.core.message import Message

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?)"
    r"|`(?P<quoted>[^`]+)`|(?P<name>[^\W\d][\w.]*)"
    r"|(?P<relation>==?|<=|>=|≤|≥)|(?P<sign>[-+])|(?P<times>\*))"
)
_RELATIONS = {"=": "=", "==": "=", "<=": "<=", "≤": "<=", ">=": ">=", "≥": ">="}

# The grammar, of a rule's shape: one letter for each token. Repetitions are possessive,
# so that no text takes longer than its length.
_SHAPE = dict(number="1", quoted="x", name="x", relation="=", sign="+", times="*")
_PRODUCT = r"(?:1\*)*+[1x](?:\*1)*+"
_SIDE = rf"\+?{_PRODUCT}(?:\+{_PRODUCT})*+"
_RULE = re.compile(rf"{_SIDE}(?:={_SIDE})++")
_TERM = re.compile(rf"(=?)(\+?)({_PRODUCT})")

Terms = dict[str | None, Fraction]
"""Factor of each column; that of None is the constant."""


@dataclass(frozen=True)
class Equation:
    """``sum of factors * columns = constant``, exactly as typed.

    Attributes
    ----------
    text : str
    factors : tuple of Fraction, one per column
    constant : Fraction
    """

    text: str
    factors: tuple[Fraction, ...]
    constant: Fraction

    @property
    def support(self) -> tuple[int, ...]:
        """Positions of the columns that the equation binds."""
        return tuple(j for j, factor in enumerate(self.factors) if factor)


@dataclass(frozen=True)
class Bound:
    """``low <= column <= high``, exactly as typed; None is no bound.

    Attributes
    ----------
    text : str
    column : int
        Its position.
    low, high : Fraction or None
    """

    text: str
    column: int
    low: Fraction | None
    high: Fraction | None

    @property
    def support(self) -> tuple[int, ...]:
        """Positions of the columns that are bounded: one."""
        return (self.column,)


def read_rule(
    text: str, columns: tuple[str, ...], known: tuple[str, ...] = ()
) -> Equation | Bound:
    """Read a rule such as ``"net + tax = gross"`` or ``"0 <= age <= 120"``.

    Parameters
    ----------
    text : str
    columns : tuple of str
        The columns that may occur.
    known : tuple of str, optional
        All columns of the table, to tell a wrong name from a wrong role.

    Raises
    ------
    ParameterError
        If it cannot be read, or names a column that is not in `columns`.
    """
    terms, relations = _parse(text)
    for name in (name for side in terms for name in side):
        if name is None or name in columns:
            continue
        if known and name not in known:
            near = get_close_matches(name, known, n=1)
            if near:
                raise ParameterError(
                    "The rule {rule!r} names {name!r}, but the table has no such "
                    "column: did you mean {near!r}?",
                    rule=text,
                    name=name,
                    near=near,
                )
            raise ParameterError(
                "The rule {rule!r} names {name!r}, but the table has no such column.",
                rule=text,
                name=name,
            )
        raise ParameterError(
            "The rule {rule!r} names {name!r}, which is not a quasi-identifier: a "
            "rule can only bind columns that are protected together.",
            rule=text,
            name=name,
        )
    if relations == ["="]:
        left = _difference(terms[0], terms[1])
        constant = -left.pop(None, Fraction(0))
        if not left:
            raise _says_nothing(text)
        factors = tuple(left.get(name, Fraction(0)) for name in columns)
        return Equation(text, factors, constant)
    if "=" in relations or len(relations) > 2:
        raise ParameterError(
            "The rule {rule!r} must have exactly one equals sign, as in "
            '"net + tax = gross", or bound one column, as in "0 <= age <= 120".',
            rule=text,
        )
    return _bound(text, terms, relations, columns)


def _bound(
    text: str, terms: list[Terms], relations: list[str], columns: tuple[str, ...]
) -> Bound:
    """Return the bound that one or two comparisons set on one column."""
    low: Fraction | None = None
    high: Fraction | None = None
    names = set()
    for left, relation, right in zip(terms, relations, terms[1:], strict=False):
        moved = _difference(left, right)
        constant = -moved.pop(None, Fraction(0))
        if not moved:
            raise _says_nothing(text)
        if len(moved) > 1:
            raise ParameterError(
                "The rule {rule!r} compares several columns: with <= or >= a rule "
                'can only bound one column by numbers, as in "0 <= age <= 120".',
                rule=text,
            )
        name, factor = next(iter(moved.items()))
        names.add(name)
        limit = constant / factor
        if (relation == "<=") == (factor > 0):
            high = limit if high is None else min(high, limit)
        else:
            low = limit if low is None else max(low, limit)
    if len(names) > 1 or len(set(relations)) > 1:
        raise ParameterError(
            "The rule {rule!r} cannot be read: write a bound of one column as in "
            '"0 <= age <= 120".',
            rule=text,
        )
    return Bound(text, columns.index(str(names.pop())), low, high)


def _difference(left: Terms, right: Terms) -> Terms:
    """Return left - right without the columns that cancel out."""
    found = dict(left)
    for name, factor in right.items():
        found[name] = found.get(name, Fraction(0)) - factor
    return {name: f for name, f in found.items() if f or name is None}


def _parse(text: str) -> tuple[list[Terms], list[str]]:
    """Return the sides of a rule, and the relations between them."""
    shape, words, at = "", [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(text)
        shape += _SHAPE[str(match.lastgroup)]
        words.append(match[str(match.lastgroup)])
        at = match.end()
    if "=" not in shape:
        raise ParameterError(
            "The rule {rule!r} must have exactly one equals sign, as in "
            '"net + tax = gross", or bound one column, as in "age >= 0".',
            rule=text,
        )
    if not _RULE.fullmatch(shape):
        raise _unreadable(text)
    sides: list[Terms] = [{}]
    relations = []
    for term in _TERM.finditer(shape):
        if term[1]:
            relations.append(_RELATIONS[words[term.start(1)]])
            sides.append({})
        name, factor = None, Fraction(1)
        if term[2] and words[term.start(2)] == "-":
            factor = -factor
        for at in range(*term.span(3)):
            if shape[at] == "x":
                name = words[at]
            elif shape[at] == "1":
                factor *= Fraction(words[at])
        sides[-1][name] = sides[-1].get(name, Fraction(0)) + factor
    return sides, relations


def _says_nothing(text: str) -> ParameterError:
    return ParameterError("The rule {rule!r} says nothing about any column.", rule=text)


def _unreadable(text: str) -> ParameterError:
    comma = re.search(r"\d,\d", re.sub(r"`[^`]*`", "", text))
    if comma:
        how = Message("write numbers with a decimal point")
    elif re.search(r"[<>](?!=)", text):
        how = Message(
            "write <= and >= for bounds, since < and > leave out the bound itself"
        )
    else:
        how = Message(
            'write it as numbers times columns, as in "1.16*exp16 + 1.07*exp7 = total"'
        )
    return ParameterError(
        "The rule {rule!r} cannot be read: {how}.", rule=text, how=how
    )
