"""Build hierarchies of intervals, in exact arithmetic."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from engine.core.errors import InputError, ParameterError
from engine.hierarchy.build import Column, distinct_leaf_texts
from engine.hierarchy.tree import ROOT_LABEL, Hierarchy
from engine.hierarchy.words import leaf_text_of

_MAX_DIGITS = 300
"""Before or behind the point: larger numbers are no floats any more."""


def from_intervals(
    values: Column,
    widths: Sequence[float] = (),
    origin: float = 0,
    cuts: Sequence[float] = (),
) -> Hierarchy:
    """Return the hierarchy of intervals that contain the numbers.

    Parameters
    ----------
    values : sequence
        The column, of numbers.
    widths : sequence of float
        Width of the intervals at each level; each a multiple of the one before.
    origin : float
        Where one interval of every level begins.
    cuts : sequence of float
        Instead of widths: rising numbers at which a new interval begins.

    Returns
    -------
    Hierarchy
        Leaves in rising order. Intervals of whole numbers are written with both their
        ends, ``[45, 49]``; others without the upper one, ``[0.5, 1)``.

    Raises
    ------
    InputError
        If there is no value at all, or one that is no number.
    ParameterError
        If neither or both of `widths` and `cuts` are given, or they do not fit.

    Examples
    --------
    >>> from_intervals([47, 52], widths=[5, 10]).rows
    (('47', '[45, 49]', '[40, 49]', '*'), ('52', '[50, 54]', '[50, 59]', '*'))
    >>> from_intervals([17, 70], cuts=[18, 65]).rows
    (('17', '<18', '*'), ('70', '>=65', '*'))
    """
    if bool(len(widths)) == bool(len(cuts)):
        raise ParameterError(
            "Intervals need either widths or cut points: give one of the two."
        )
    exact = {leaf: _number(leaf) for leaf in distinct_leaf_texts(values)}
    bounds = [_bound(bound) for bound in (*widths, *cuts, origin)]
    # Whole multiples of one small unit: exact, and far faster than fractions.
    unit = math.lcm(*(x.denominator for x in (*bounds, *exact.values())))
    numbers = {leaf: int(number * unit) for leaf, number in exact.items()}
    leaves = sorted(numbers, key=lambda leaf: (numbers[leaf], leaf))
    if len(widths):
        _check_widths(bounds[: len(widths)], widths)
        start = int(bounds[-1] * unit)
        levels = [
            _labels_by_width(int(step * unit), start, unit)
            for step in bounds[: len(widths)]
        ]
    else:
        places = [int(place * unit) for place in bounds[: len(cuts)]]
        if any(a >= b for a, b in pairwise(places)):
            raise ParameterError(
                "The cut points are {cuts}, but must be rising numbers.",
                cuts=_list_values(cuts),
            )
        levels = [_labels_by_cuts(places, unit)]
    return Hierarchy(
        tuple(
            (leaf, *(label(numbers[leaf]) for label in levels), ROOT_LABEL)
            for leaf in leaves
        )
    )


def _number(text: str) -> Fraction:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    # Numbers without end, and those with too many digits to write out.
    if not number.is_finite() or abs(number.adjusted()) > _MAX_DIGITS:
        raise InputError(
            "The value {value!r} is no number, so it has no interval: correct it, or "
            "build the hierarchy from something else.",
            value=text,
        )
    return Fraction(number)


def _bound(bound: float) -> Fraction:
    if not math.isfinite(bound):
        raise ParameterError(
            "{bound} cannot be a width, an origin or a cut point: give a number.",
            bound=bound,
        )
    return Fraction(leaf_text_of(bound))


def _check_widths(steps: Sequence[Fraction], widths: Sequence[float]) -> None:
    if any(step <= 0 for step in steps):
        raise ParameterError(
            "The widths are {widths}, but must be above 0.", widths=_list_values(widths)
        )
    for below, above in pairwise(steps):
        if above % below or above == below:
            raise ParameterError(
                "Intervals of width {below} do not fit into intervals of "
                "width {above}: make each width a multiple of the one before.",
                below=_format(below),
                above=_format(above),
            )


def _labels_by_width(step: int, origin: int, unit: int) -> Callable[[int], str]:
    @cache
    def interval(place: int) -> str:
        low = origin + place * step
        return _interval_label(low, low + step, unit)

    return lambda number: interval((number - origin) // step)


def _labels_by_cuts(cuts: Sequence[int], unit: int) -> Callable[[int], str]:
    @cache
    def interval(place: int) -> str:
        if place == 0:
            return f"<{_format(Fraction(cuts[0], unit))}"
        if place == len(cuts):
            return f">={_format(Fraction(cuts[-1], unit))}"
        return _interval_label(cuts[place - 1], cuts[place], unit)

    return lambda number: interval(bisect_right(cuts, number))


def _interval_label(low: int, high: int, unit: int) -> str:
    """Return the label of an interval whose bounds are given in `unit`-ths."""
    if unit > 1:
        return f"[{_format(Fraction(low, unit))}, {_format(Fraction(high, unit))})"
    if high - low == 1:
        return str(low)
    return f"[{low}, {high - 1}]"


def _format(number: Fraction) -> str:
    # The nearest float has the shortest text: 3/10 is 0.3.
    return leaf_text_of(int(number) if number.denominator == 1 else float(number))


def _list_values(values: Sequence[Any]) -> str:
    return ", ".join(leaf_text_of(value) for value in values)
