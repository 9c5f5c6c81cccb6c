"""Upper bounds on the columns of a model formula's design matrix, not evaluating it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from math import prod

from engine.core.message import Message

MAX_POWER = 10
"""Largest power of a sum of regressors, which stands for their interactions."""


class InvalidFormulaError(ValueError):
    """Error on a formula that cannot be parsed or has powers that are not allowed."""

    def __init__(self, why: Message) -> None:
        super().__init__(why)
        self.why = why


def parse_formula_side(tokens: list[str]) -> ast.expr:
    """Return one side of a formula as a syntax tree in which ``:`` is ``@``.

    Parameters
    ----------
    tokens : list of str
        Its tokens, names of columns as Python's.

    Raises
    ------
    InvalidFormulaError
        If it is no expression.
    """
    text = " ".join("@" if word == ":" else word for word in tokens)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InvalidFormulaError(Message("it is no formula")) from None


def column_count_upper_bound(side: ast.expr, level_counts: Mapping[str, int]) -> int:
    """Return an upper bound on one side's design matrix columns, the intercept apart.

    Parameters
    ----------
    side : ast.expr
    level_counts : mapping of str to int
        Columns that each name stands for: 1 of numbers, the levels of categories.

    Raises
    ------
    InvalidFormulaError
        If a power is not a small whole number, or a number itself is raised to one.
    """
    match side:
        case ast.Name(id=name):
            return level_counts.get(name, 1)
        case ast.Constant():
            return 1
        case ast.UnaryOp(operand=operand):
            return column_count_upper_bound(operand, level_counts)
        case ast.Call(func=ast.Name(id=function), args=[inside], keywords=[]):
            _check_arithmetic(inside)
            if function != "C":
                return 1
            return prod(level_counts.get(f"C {name}", 1) for name in _names_in(inside))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = right.value if isinstance(right, ast.Constant) else None
            if type(power) is not int or not 1 <= power <= MAX_POWER:
                raise InvalidFormulaError(
                    Message(
                        "a power of regressors is a whole number up to {most}",
                        most=MAX_POWER,
                    )
                )
            return int(column_count_upper_bound(left, level_counts) ** power)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = (
                column_count_upper_bound(left, level_counts),
                column_count_upper_bound(right, level_counts),
            )
            if isinstance(op, (ast.Add, ast.Sub)):
                return a + b
            return a * b if isinstance(op, ast.MatMult) else a + b + a * b
    raise InvalidFormulaError(Message("it is no formula"))


def _check_arithmetic(inside: ast.expr) -> None:
    """Refuse powers of mere numbers, which may have more digits than there is time."""
    for node in ast.walk(inside):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and not _names_in(node)
        ):
            raise InvalidFormulaError(
                Message("it raises a number to a power: write the number that it is")
            )


def _names_in(node: ast.expr) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
