"""Ways in which one column determines another: by its codes, classes or intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pandas as pd

from engine.core.typing import Booleans, Integers, Values
from engine.data.propose.relations.compared_column import (
    MAX_EXCEPTION_SHARE,
    MIN_RARE_SHARE,
    ComparedColumn,
)

MIN_RECORDS_PER_VALUE = 3.0
"""Records of each value of a column, on average, from which it can decide another."""

MAX_CLASSES = 40
"""Values of a column up to which each may be an interval of another one."""

MAX_COUNTS = 100
"""Values of a whole number up to which it is a count that others may follow."""

Way: TypeAlias = Callable[
    [ComparedColumn, ComparedColumn, Booleans], ComparedColumn | None
]
"""Way of telling which of two columns determines the other, if one does."""


def find_twin_leader(
    first: ComparedColumn, second: ComparedColumn, _: Booleans
) -> ComparedColumn | None:
    """Return the leading one of two columns that part all records alike."""
    if abs(first.distinct - second.distinct) > 1 or first.classes != second.classes:
        return None
    return second if second.words and not first.words else first


def find_equivalent_leader(
    first: ComparedColumn, second: ComparedColumn, both_known: Booleans
) -> ComparedColumn | None:
    """Return the leading one of two columns of which each decides the other."""
    if first.distinct > 2 * second.distinct or second.distinct > 2 * first.distinct:
        return None
    if not (
        _decides(first, second, both_known) and _decides(second, first, both_known)
    ):
        return None
    return second if second.words and not first.words else first


def find_date_leader(
    first: ComparedColumn, second: ComparedColumn, both_known: Booleans
) -> ComparedColumn | None:
    """Return the date of which the other column tells a part, such as the month."""
    for date, other in ((first, second), (second, first)):
        if other.date_parts:
            continue
        codes = other.codes[both_known]
        if any(
            does_code_determine(part[both_known], codes) for part in date.date_parts
        ):
            return date
    return None


def find_class_leader(
    first: ComparedColumn, second: ComparedColumn, both_known: Booleans
) -> ComparedColumn | None:
    """Return that of two columns of which the other one is a coarser class."""
    for leading, other in ((first, second), (second, first)):
        if _decides(leading, other, both_known) and (
            not leading.is_amount or _is_count_or_interval(leading, other, both_known)
        ):
            return leading
    return None


def _is_count_or_interval(
    leading: ComparedColumn, follower: ComparedColumn, both_known: Booleans
) -> bool:
    """Return whether classes follow an amount: as intervals, or each of few counts.

    An amount of many values, or with decimals, may decide others by chance: a rate
    that differs in each state and year decides both.
    """
    values = pd.DataFrame({"a": leading.numbers, "b": follower.codes})
    pairs = values[both_known].value_counts()
    often = pairs.reset_index().drop_duplicates("a").sort_values("a")["b"]
    if int((np.diff(often) != 0).sum()) < follower.distinct:
        return True
    is_count = leading.distinct <= MAX_COUNTS and not np.mod(values["a"], 1).any()
    return is_count and len(pairs) == len(often)


def find_curve_leader(
    first: ComparedColumn, second: ComparedColumn, both_known: Booleans
) -> ComparedColumn | None:
    """Return the number that another number rises with, or classes are intervals of."""
    if _rise_together(first, second, both_known):
        return first if first.distinct >= second.distinct else second
    if _in_intervals(first, second, both_known):
        return first
    return second if _in_intervals(second, first, both_known) else None


def _decides(
    first: ComparedColumn, second: ComparedColumn, both_known: Booleans
) -> bool:
    """Return whether each value of the first column has one of the second."""
    if second.distinct > 1.2 * first.distinct + 1:
        return False
    return does_code_determine(first.codes[both_known], second.codes[both_known])


def does_code_determine(
    determining_codes: Integers, determined_codes: Integers
) -> bool:
    """Return whether codes nearly always determine others; False if records are few.

    Parameters
    ----------
    determining_codes, determined_codes : numpy.ndarray of int, shape (n,)
        Numbers of values from 0 on.
    """
    n = determining_codes.size
    many = int(determining_codes.max()) + 1
    others = int(determined_codes.max()) + 1
    if n < MIN_RECORDS_PER_VALUE * many or many * others > 4_000_000:
        return False
    pairs = np.sort(determining_codes * others + determined_codes)
    starts = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1]))
    counts, values = np.diff(np.append(starts, n)), pairs[starts] // others
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    right = int(np.maximum.reduceat(counts, begins).sum())
    if n - right > MAX_EXCEPTION_SHARE * n:
        return False
    # What would be right by chance: the most frequent value for everybody.
    base = int(np.bincount(determined_codes).max())
    return n - right <= 0.05 * (n - base)


def _rise_together(
    first: ComparedColumn, second: ComparedColumn, both_known: Booleans
) -> bool:
    """Return whether one number rises, or falls, wherever the other one does."""
    if first.numbers is None or second.numbers is None:
        return False
    order = first.order[both_known[first.order]]
    numbers, other = first.numbers[order], second.numbers[order]
    steps, climbs = np.diff(other), np.diff(numbers) != 0
    falls = float(((steps < 0) & climbs).mean())
    rises = float(((steps > 0) & climbs).mean())
    # Nearly all pairs end here, before anything is ranked.
    if min(falls, rises) > MAX_EXCEPTION_SHARE:
        return False
    if np.unique(numbers).size < 10 or np.unique(other).size < 10:
        return False
    correlation = float(np.corrcoef(_ranks(numbers), _ranks(other))[0, 1])
    if abs(correlation) < 0.9995:
        return False
    return (falls if correlation > 0 else rises) <= MAX_EXCEPTION_SHARE


def _ranks(values: Values) -> Values:
    return np.asarray(pd.Series(values).rank(), dtype=np.float64)


def _in_intervals(
    first: ComparedColumn, second: ComparedColumn, both_known: Booleans
) -> bool:
    """Return whether each value of the second column is an interval of the first."""
    numbers = first.numbers
    if numbers is None or not 2 <= second.distinct <= MAX_CLASSES:
        return False
    if first.distinct <= 2 * second.distinct:
        return False
    # The first records of each number change no oftener than all records do.
    some = first.first_of_each[both_known[first.first_of_each]]
    if int((np.diff(second.codes[some]) != 0).sum()) >= second.distinct:
        return False
    values, codes = numbers[both_known], second.codes[both_known]
    order = np.lexsort((codes, values))
    changes = int((np.diff(codes[order]) != 0).sum())
    rarest = np.bincount(codes, minlength=second.distinct)
    if np.sort(rarest)[:-1].sum() < max(10.0, 2 * MIN_RARE_SHARE * codes.size):
        return False
    return changes == second.distinct - 1
