"""What single choices of a plan must be, whatever the others are.

What checks a choice is imported when one is made: the command line lists all choices
before anybody has made any.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from engine.core.errors import EngineError, ParameterError
from engine.core.message import Message
from engine.methods import MethodInfo, methods
from engine.pipeline import limits

HEAVIEST = 1e6
"""Largest weight of an attribute: beyond it the others drown in rounding."""

LARGEST_BASE = 1e12
"""Largest number to whose multiples values are rounded."""


def known_method(value: str) -> str:
    """Return the identifier of a method, known by any of its names."""
    return methods.resolve(value)


def known_scaling(value: str) -> str:
    """Return the identifier of a scaling."""
    from engine.points.scaling import scalings

    return scalings.resolve(value)


def known_aggregation(value: str) -> str:
    """Return the identifier of an aggregation, or ``"auto"``."""
    from engine.aggregate import aggregations
    from engine.aggregate.defaults import AUTO

    return value if value == AUTO else aggregations.resolve(value)


def known_aggregations(value: dict[str, str]) -> dict[str, str]:
    """Return the identifiers of aggregations, by column."""
    from engine.aggregate import aggregations

    return {name: aggregations.resolve(rule) for name, rule in value.items()}


def group_size(value: Any) -> Any:
    """Return k, unless no group of this size protects anybody."""
    if isinstance(value, bool) or (isinstance(value, (int, float)) and value < 2):
        raise ParameterError(
            "k is {k!r}, but must be a whole number of at least 2: a group of one "
            "record protects nobody.",
            k=value,
        )
    return value


def budget(value: Any) -> Any:
    """Return a share or a number of records; ``"1%"`` is a share too."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    share = text.endswith("%")
    if not 0.0 <= number < (100.0 if share else math.inf):
        raise ParameterError(
            "The budget for outliers (--suppress) is {value!r}, but must be a share "
            "such as 0.01 or 1%, or a number of records such as 8.",
            value=value,
        )
    return number / 100.0 if share else number


def finite_weights(value: Any) -> Any:
    """Return weights of attributes as numbers, by column."""
    if not isinstance(value, dict):
        return value
    weights = {}
    for name, weight in value.items():
        try:
            weights[name] = float(weight)
        except (TypeError, ValueError):
            weights[name] = math.nan
        if not 0.0 <= weights[name] <= HEAVIEST:
            raise ParameterError(
                "The weight of column {column!r} is {weight!r}, but must be a "
                "number from 0 to {most:,}.",
                column=name,
                weight=weight,
                most=int(HEAVIEST),
            )
    return weights


def rounding_bases(value: Any) -> Any:
    """Return bases that columns are rounded to as numbers above 0, by column."""
    if not isinstance(value, dict):
        return value
    bases = {}
    for name, base in value.items():
        try:
            bases[name] = float(base)
        except (TypeError, ValueError):
            bases[name] = math.nan
        if not 0.0 < bases[name] <= LARGEST_BASE:
            raise ParameterError(
                "Column {column!r} is to be rounded to multiples of {base!r}, but the "
                "base must be a number above 0, up to {most:,}.",
                column=name,
                base=base,
                most=int(LARGEST_BASE),
            )
    return bases


def checked_hierarchies(
    value: dict[str, tuple[tuple[str, ...], ...]],
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the rows of hierarchies, by column, each of which makes one."""
    for name, rows in value.items():
        try:
            limits.check_labels(rows)
            _check_tree(rows)
        except EngineError as error:
            raise ParameterError(
                "Column {column!r}: {problem}", column=name, problem=error.message
            ) from None
    return value


@lru_cache(maxsize=64)
def _check_tree(rows: tuple[tuple[str, ...], ...]) -> None:
    """Raise if the rows are no hierarchy; right ones are not looked at again."""
    from engine.hierarchy import Hierarchy

    Hierarchy(rows)


def different_names(value: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of columns, none of them twice."""
    twice = _first_repeated(value)
    if twice is not None:
        raise ParameterError("Column {column!r} is named twice.", column=twice)
    return value


def disjoint_blocks(value: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return the blocks that have columns, none of which is in two of them."""
    twice = _first_repeated(name for block in value for name in block)
    if twice is not None:
        raise ParameterError("Column {column!r} is in two blocks.", column=twice)
    return tuple(block for block in value if block)


def _first_repeated(names: Iterable[str]) -> str | None:
    counts = Counter(names)
    return next((name for name, count in counts.items() if count > 1), None)


def said_condition(value: str | None) -> str | None:
    """Return a condition without outer blanks.

    Raises
    ------
    ParameterError
        If it is empty.
    """
    if value is not None and not value.strip():
        raise ParameterError(
            "The condition of the records to release is empty (--only): say one, as in "
            '"region = north and age >= 18", or leave it out.'
        )
    return value and value.strip()


def check_household(
    info: MethodInfo, blocks: bool, suppresses: bool, enforces: bool
) -> None:
    """Raise where households could not be grouped whole.

    Parameters
    ----------
    info : MethodInfo
    blocks, suppresses, enforces : bool
        Whether a plan has blocks, leaves outliers out, or merges groups for the sake
        of confidential columns.

    Raises
    ------
    ParameterError
    """
    traits = info.traits
    refused = {
        info.title: info.family == "mixed"
        or traits.probabilistic
        or traits.per_attribute
        or traits.univariate,
        Message("blocks"): blocks,
        Message("a budget for outliers"): suppresses,
        Message("p-sensitive, l-diverse, t-close and k-map groups"): enforces,
    }
    for what, there in refused.items():
        if there:
            raise ParameterError(
                "Households are grouped whole, which does not go together with "
                "{what}: choose another method, or leave one of both out.",
                what=what,
            )


def check_roles(
    quasi_identifiers: tuple[str, ...],
    identifiers: tuple[str, ...] | None,
    confidential: tuple[str, ...] | None,
) -> None:
    """Raise if a column has two roles.

    Raises
    ------
    ParameterError
    """
    for name in quasi_identifiers:
        if name in (identifiers or ()):
            raise ParameterError(
                "Column {column!r} is both an identifier and a quasi-identifier.",
                column=name,
            )
    for name in confidential or ():
        if name in quasi_identifiers or name in (identifiers or ()):
            raise ParameterError(
                "Column {column!r} is named as confidential and as a "
                "quasi-identifier or identifier, but confidential columns are "
                "released as they are: name it once.",
                column=name,
            )
