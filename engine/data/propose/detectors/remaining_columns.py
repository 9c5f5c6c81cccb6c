"""Detectors of empty, constant and continuous columns, and one for all that is left."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.core.typing import Integers
from engine.core.typing import Values as Numbers
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, UNSURE, ColumnView, Finding
from engine.data.propose.detectors.words import (
    AMOUNT_WORDS,
    CALENDAR_WORDS,
    MEASURE_WORDS,
    has_numbering_word,
    is_calendar_number_name,
    is_count_name,
    is_plural_name,
)
from engine.data.propose.values import ColumnValues

LEAST_SHARE, MANY_NUMBERS = 0.2, 30
"""Of different values: from which a column that is called a number names records."""

LONG, DENSE, FEW_EACH = 1e6, 3.0, 30
"""Numbers as long as those given to each; how densely they lie; records of each."""

MIN_SKEW, MIN_TREND, MIN_SOLE_TREND, MIN_REPEATS, MIN_HILL = 0.3, 0.4, 0.55, 0.25, 0.6
"""Of amounts: distance from evenly spread numbers as a share of the range, and rank
correlations of the gaps between numbers with their order, which may be all that tells,
and with their records, and of the latter with the distance from the commonest.
"""

MIN_SMOOTHED_GAPS, MIN_EDGE, MIN_SIDE, MAX_CHANCE_ERRORS = 5, 0.1, 0.25, 1.5
"""Gaps of which the mean tells where numbers lie densest, the share of them that this
place is away from both ends, the correlation on each side of it alone, and the standard
errors that chance adds to correlations.
"""

MIN_TESTED_NUMBERS = 50
"""Numbers from which it is tested (Kolmogorov and Smirnov, 5 %) how they are spread."""


def detect_empty_column(column: ColumnView) -> Finding | None:
    """Return a finding if a column has no values."""
    if column.values.n:
        return None
    reason = Message("It holds no values.")
    return Finding(Role.OTHER, (reason,), CERTAIN, Kind.NOMINAL)


def detect_constant_column(column: ColumnView) -> Finding | None:
    """Return a finding if all values, of two or more, are the same."""
    if not column.values.is_constant:
        return None
    reason = Message("All its values are the same.")
    return Finding(Role.OTHER, (reason,), CERTAIN, about="constant")


def detect_measurements(column: ColumnView) -> Finding | None:
    """Return a finding if a column is continuous: measured, or rather identifying."""
    kind, holds = infer_kind_with_message(column.values)
    if kind is not Kind.CONTINUOUS:
        return None
    if column.values.is_integer and _are_identifying_numbers(column):
        note = Message(
            "By its name or order it rather numbers something than measures."
        )
        code = Kind.NOMINAL  # no number of these is between two others
        return Finding(Role.UNDECIDED, (holds, note), UNSURE, code, singles_out=True)
    note = Message("Whoever knows somebody's exact number could recognise them by it.")
    return Finding(Role.QUASI_IDENTIFIER, (holds, note), LIKELY, kind)


def _are_identifying_numbers(view: ColumnView) -> bool:
    """Return whether whole numbers say which household or place it is, not how much.

    Their name says so, or they rise by small steps from the first record to the last,
    as numbers of households do of which each has some records, or they are spread
    evenly over all numbers of so many digits, as nothing is that is measured.
    """
    numbers = view.values.numbers
    counted = is_count_name(view.words) or MEASURE_WORDS.intersection(view.words)
    amounts = (AMOUNT_WORDS | CALENDAR_WORDS).intersection(view.words)
    named = counted or amounts or is_plural_name(view.words)
    if is_calendar_number_name(view.name):
        return False
    if has_numbering_word(view.words) and not counted:
        return (
            view.values.distinct_share > LEAST_SHARE
            or view.values.n_distinct > MANY_NUMBERS
        )
    if not named and _in_runs(view):
        return True
    steps = np.diff(numbers)
    rising = not named and numbers.size >= 20 and bool((steps >= 0).all())
    if rising and float(np.median(steps)) <= 1 and view.values.distinct_share > 0.05:
        return not _are_sorted_amounts(numbers)
    drawn = not named and view.values.distinct_share > 0.9
    return drawn and _is_uniformly_drawn(numbers)


def _in_runs(view: ColumnView) -> bool:
    """Return whether each number has one run of records, all about as long.

    So have numbers of people who answer several times, and nothing that is measured.
    Numbers that most records have one of, each with as many digits, are such, too.
    """
    numbers, values = view.values.numbers, view.values
    if view.hints or values.n_distinct < MANY_NUMBERS or numbers.min() < 0:
        return False
    digits = np.floor(np.log10(np.maximum(numbers, 1)))
    long = float(np.median(numbers)) >= LONG and not (numbers % 10 == 0).mean() > 0.3
    if (
        long
        and values.distinct_share > 0.5
        and (digits == np.median(digits)).mean() > 0.95
    ):
        return not _are_sorted_amounts(numbers)
    if values.distinct_share >= 0.999 and values.n >= MIN_TESTED_NUMBERS:
        return float(np.ptp(numbers)) < DENSE * values.n
    starts = np.flatnonzero(np.append(True, np.diff(numbers) != 0))
    if starts.size != values.n_distinct or values.n > 20_000:
        return False
    lengths = np.diff(np.append(starts, numbers.size))
    even = float((lengths == np.median(lengths)).mean())
    return (
        even > 0.8
        and lengths.max() > 1
        and float(np.median(lengths)) < FEW_EACH
        and not _are_sorted_amounts(numbers)
    )


def _are_sorted_amounts(numbers: Numbers) -> bool:
    """Return whether numbers lie as amounts do, by which a file is sorted.

    Numbers that are given lie as densely in one place as in another, or have as many
    records each where they lie far apart. Amounts thin out on both sides of those that
    most have, or most are small; the more of them there are, the more are the same.
    """
    values, counts = np.unique(numbers, return_counts=True)
    if values.size < MANY_NUMBERS or (counts[0] > 1 and np.ptp(counts) == 0):
        return False
    gaps = pd.Series(np.diff(values))
    width = max(MIN_SMOOTHED_GAPS, gaps.size // 10)
    densest = int(np.argmin(_smooth(gaps, width)))
    commonest = int(np.argmax(_smooth(pd.Series(counts), width)))
    chance = MAX_CHANCE_ERRORS / np.sqrt(gaps.size)
    if _rises_on_both_sides(gaps, densest, MIN_TREND + chance):
        return True
    if _rises_on_both_sides(pd.Series(-counts), commonest, MIN_HILL):
        return True
    evenly = np.linspace(values[0], values[-1], values.size)
    if np.abs(values - evenly).max() <= MIN_SKEW * np.ptp(values):
        return False
    trend = abs(_rank_correlation(gaps, np.arange(gaps.size)))
    repeats = _rank_correlation(gaps, counts[:-1])
    return trend > MIN_SOLE_TREND or (trend > MIN_TREND and repeats < -MIN_REPEATS)


def _rises_on_both_sides(values: pd.Series, low: int, least: float) -> bool:
    """Return whether values rise on both sides of a place that is near no end."""
    if not MIN_EDGE * values.size < low < (1.0 - MIN_EDGE) * values.size:
        return False
    gaps = np.abs(np.arange(values.size) - low)
    sides = (slice(None), least), (slice(low), MIN_SIDE), (slice(low, None), MIN_SIDE)
    return all(_rank_correlation(values[side], gaps[side]) > rho for side, rho in sides)


def _smooth(values: pd.Series, width: int) -> Numbers:
    means = values.rolling(width, center=True, min_periods=width // 2).mean()
    return means.to_numpy(dtype=np.float64)


def _rank_correlation(values: pd.Series, others: Integers) -> float:
    """Return Spearman's correlation; 0 where either does not vary."""
    if values.nunique() < 2 or np.ptp(others) == 0:
        return 0.0
    other = pd.Series(others, values.index)
    return float(values.corr(other, method="spearman"))


def _is_uniformly_drawn(numbers: Numbers) -> bool:
    """Return whether numbers have one length and are evenly spread over all of it."""
    if numbers.size < MIN_TESTED_NUMBERS or numbers.min() < 1:
        return False
    digits = np.floor(np.log10(numbers))
    if digits[0] < 3 or np.ptp(digits) > 0:
        return False
    low = 10.0 ** digits[0]
    ranks = (np.arange(numbers.size) + 0.5) / numbers.size
    distance = np.abs((np.sort(numbers) - low) / (9.0 * low) - ranks).max()
    return bool(distance < 1.36 / np.sqrt(numbers.size))


def propose_undecided_role(column: ColumnView) -> Finding:
    """Return a finding with the role undecided, for people to decide."""
    kind, holds = infer_kind_with_message(column.values)
    values = column.values
    varied = values.distinct_share > 0.5 or (
        values.distinct_share_of_rest > LEAST_SHARE and values.n_distinct > MANY_NUMBERS
    )
    if values.words and values.n >= 10 and varied:
        reason = Message(
            "Most of them differ, which comes close to naming single records."
        )
        reasons = holds, reason
        return Finding(Role.UNDECIDED, reasons, UNSURE, kind, singles_out=True)
    reason = Message("Nothing hints at a role.")
    return Finding(Role.UNDECIDED, (holds, reason), UNSURE, kind)


def infer_kind_with_message(values: ColumnValues) -> tuple[Kind, Message]:
    """Return the kind that the values suggest, and a message on the values."""
    if values.dates:
        return Kind.ORDINAL, Message(
            "It holds dates ({count}).", count=values.distinct_message
        )
    if not values.numeric:
        dtype = values.all.dtype
        if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
            return Kind.ORDINAL, Message(
                "It holds ordered categories ({count}).", count=values.distinct_message
            )
        return Kind.NOMINAL, Message(
            "It holds words ({count}).", count=values.distinct_message
        )
    if (
        values.has_few_distinct
        and values.n >= 3 * values.n_distinct
        and values.is_integer
    ):
        return Kind.ORDINAL, Message(
            "It holds few whole numbers ({count}).", count=values.distinct_message
        )
    return Kind.CONTINUOUS, Message(
        "It holds numbers ({count}).", count=values.distinct_message
    )
