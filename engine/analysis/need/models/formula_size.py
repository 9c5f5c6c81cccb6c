"""Bound the size of a model formula's design matrix before it is evaluated."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from math import prod

from engine.core.message import Message

MAX_POWER = 10
"""Largest power of a sum of regressors, which stands for their interactions."""


class FormulaSizeError(ValueError):
    """A formula cannot be parsed or is too large; the message gives the reason."""

    def __init__(self, why: Message) -> None:
        super().__init__(why)
        self.why = why


def parse_formula(words: list[str]) -> ast.expr:
    """Return one side of a formula as a syntax tree in which ``:`` is ``@``.

    Parameters
    ----------
    words : list of str
        Its tokens, names of columns as Python's.

    Raises
    ------
    FormulaSizeError
        If it is no expression.
    """
    text = " ".join("@" if word == ":" else word for word in words)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise FormulaSizeError(Message("it is no formula")) from None


def count_columns(side: ast.expr, levels: Mapping[str, int]) -> int:
    """Return an upper bound on one side's number of columns in the design matrix.

    Parameters
    ----------
    side : ast.expr
    levels : mapping of str to int
        Columns that each name stands for: 1 of numbers, the levels of categories.

    Raises
    ------
    FormulaSizeError
        If a power is not a small whole number, or a number itself is raised to one.
    """
    match side:
        case ast.Name(id=name):
            return levels.get(name, 1)
        case ast.Constant():
            return 1
        case ast.UnaryOp(operand=operand):
            return count_columns(operand, levels)
        case ast.Call(func=ast.Name(id=function), args=[inside], keywords=[]):
            _check_arithmetic(inside)
            if function != "C":
                return 1
            return prod(levels.get(f"C {name}", 1) for name in _names_in(inside))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = right.value if isinstance(right, ast.Constant) else None
            if type(power) is not int or not 1 <= power <= MAX_POWER:
                raise FormulaSizeError(
                    Message(
                        "a power of regressors is a whole number up to {most}",
                        most=MAX_POWER,
                    )
                )
            return int(count_columns(left, levels) ** power)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = count_columns(left, levels), count_columns(right, levels)
            if isinstance(op, (ast.Add, ast.Sub)):
                return a + b
            return a * b if isinstance(op, ast.MatMult) else a + b + a * b
    raise FormulaSizeError(Message("it is no formula"))


def _check_arithmetic(inside: ast.expr) -> None:
    """Refuse powers of mere numbers, which may have more digits than there is time."""
    for node in ast.walk(inside):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and not _names_in(node)
        ):
            raise FormulaSizeError(
                Message("it raises a number to a power: write the number that it is")
            )


def _names_in(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
