"""Linear rules between columns: read them, check records, make releases obey them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError

Values = NDArray[np.float64]

TOLERANCE = 1e-9
"""A rule holds when its two sides differ by less, relative to their terms' size."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)"
    r"|`(?P<quoted>[^`]+)`|(?P<name>[^\W\d][\w.]*)|(?P<sign>[-+*=]))"
)


@dataclass(frozen=True, eq=False)
class Rules:
    """Linear equations over some columns: ``A @ x = b`` for every record x.

    Attributes
    ----------
    texts : tuple of str
        The rules as they were written.
    columns : tuple of str
    A : ndarray of float64, shape (n_rules, n_columns)
    b : ndarray of float64, shape (n_rules,)
    """

    texts: tuple[str, ...]
    columns: tuple[str, ...]
    A: Values
    b: Values

    def broken(self, values: Values) -> NDArray[np.bool_]:
        """Return which record breaks which rule, shape (n_records, n_rules).

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        """
        size = np.abs(values) @ np.abs(self.A).T + np.abs(self.b)
        residual = np.abs(values @ self.A.T - self.b)
        return np.asarray(residual > TOLERANCE * np.maximum(size, 1.0), dtype=np.bool_)

    def project(self, values: Values) -> Values:
        """Return the nearest values that satisfy every rule.

        Nearest in the columns' own units: the closed form
        ``x - A'(AA')^+ (Ax - b)``, as for fuzzy centres in Torra (2020), eq. 5.
        Values that satisfy the rules already come back unchanged.

        Parameters
        ----------
        values : ndarray of float64, shape (n_records, n_columns)
        """
        off = self.broken(values).any(axis=1)
        if not off.any():
            return values
        pseudo = np.linalg.pinv(self.A)
        moved = values[off]
        for _ in range(2):  # the second step removes the first one's rounding
            moved = moved - (moved @ self.A.T - self.b) @ pseudo.T
        out = values.copy()
        out[off] = moved
        return out


def parse_rules(texts: tuple[str, ...], columns: tuple[str, ...]) -> Rules:
    """Read rules such as ``"1.16*exp16 + 1.07*exp7 = total"``.

    A column whose name is not a plain word is written between backquotes.

    Parameters
    ----------
    texts : tuple of str
    columns : tuple of str
        The columns that may occur: those that the release changes.

    Raises
    ------
    ParameterError
        If a rule cannot be read, names another column, or contradicts the others.
    """
    A = np.zeros((len(texts), len(columns)))
    b = np.zeros(len(texts))
    for row, text in enumerate(texts):
        for name, factor in _terms(text):
            if name is None:
                b[row] -= factor
            elif name in columns:
                A[row, columns.index(name)] += factor
            else:
                raise ParameterError(
                    f"The rule {text!r} names {name!r}, which is not a "
                    "quasi-identifier: a rule can only bind columns that are "
                    "protected together."
                )
        if not A[row].any():
            raise ParameterError(f"The rule {text!r} says nothing about any column.")
        if np.linalg.matrix_rank(A[: row + 1]) < np.linalg.matrix_rank(
            np.column_stack([A[: row + 1], b[: row + 1]])
        ):
            raise ParameterError(
                f"The rule {text!r} contradicts the rules before it: no record can "
                "satisfy them all."
            )
    return Rules(texts, columns, A, b)


def _terms(text: str) -> list[tuple[str | None, float]]:
    """Return (column or None, factor) per term, all moved to the left side."""
    sides = text.split("=")
    if len(sides) != 2:
        raise ParameterError(
            f"The rule {text!r} must have exactly one equals sign, as in "
            '"net + tax = gross".'
        )
    terms = []
    for side, direction in zip(sides, (1.0, -1.0), strict=True):
        terms += [(name, direction * factor) for name, factor in _side(side, text)]
    return terms


def _side(side: str, text: str) -> list[tuple[str | None, float]]:
    """Read ``[sign] number | [number *] column`` repeated."""
    tokens = _tokens(side, text)
    terms: list[tuple[str | None, float]] = []
    at = 0
    while at < len(tokens):
        sign = 1.0
        if tokens[at][0] == "sign" and tokens[at][1] in "+-":
            sign = -1.0 if tokens[at][1] == "-" else 1.0
            at += 1
        elif terms:
            raise _unreadable(text)
        factor, name, factors = sign, None, 0
        while at < len(tokens):
            what, word = tokens[at]
            if what == "number":
                factor *= float(word)
            elif what == "name" and name is None:
                name = word
            else:
                raise _unreadable(text)
            factors += 1
            at += 1
            if at < len(tokens) and tokens[at] == ("sign", "*"):
                at += 1
                factors = -1 if at == len(tokens) else factors
            else:
                break
        if factors <= 0:
            raise _unreadable(text)
        terms.append((name, factor))
    if not terms:
        raise _unreadable(text)
    return terms


def _tokens(side: str, text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while side[at:].strip():
        match = _TOKEN.match(side, at)
        if match is None:
            raise _unreadable(text)
        what = str(match.lastgroup)
        found.append(("name" if what == "quoted" else what, match.group(what)))
        at = match.end()
    return found


def _unreadable(text: str) -> ParameterError:
    return ParameterError(
        f"The rule {text!r} cannot be read: write it as numbers times columns, as in "
        '"1.16*exp16 + 1.07*exp7 = total".'
    )
