"""Search for dates that another date and the time between them give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd

from engine.core.typing import Values
from engine.data.propose.relations.compared_column import (
    MAX_COMPARED_RECORDS,
    MAX_EXCEPTION_SHARE,
    MIN_RECORDS,
    ComparedColumn,
    is_date_column,
)
from engine.data.propose.sampling import spread_records

YEAR_SECONDS, MONTH_SECONDS = 365.2425 * 86_400.0, 30.436875 * 86_400.0

UNIT_SECONDS = (YEAR_SECONDS, MONTH_SECONDS, 86_400.0, 3_600.0, 60.0, 1.0)
"""Seconds of the units in which the time between two dates is told."""

MIN_DURATIONS = 5
"""Different durations from which it is no accident that they part two dates."""


def find_dates_with_duration(
    frame: pd.DataFrame, columns: Sequence[str]
) -> Mapping[str, tuple[str, str]]:
    """Return the dates that another date and a duration give, with these two.

    The later date, but the earlier one where years part them: a date of birth says more
    of somebody than the age on a day.

    Parameters
    ----------
    columns : sequence of str
        Columns of dates and numbers to look at.
    """
    if len(frame) < MIN_RECORDS:
        return {}
    some = spread_records(frame, MAX_COMPARED_RECORDS)
    dates = [
        ComparedColumn(name, some[name])
        for name in columns
        if is_date_column(some[name])
    ]
    if len(dates) < 2:
        return {}
    others = (
        ComparedColumn(name, some[name])
        for name in columns
        if not is_date_column(some[name])
    )
    numbers = [column for column in others if not column.words]
    dated: dict[str, tuple[str, str]] = {}
    for start, end in permutations(dates, 2):
        if {start.name, end.name} & dated.keys():
            continue
        seconds = end.seconds - start.seconds
        for duration in numbers:
            if duration.distinct < MIN_DURATIONS:
                continue
            unit = _duration_unit(seconds, duration)
            if unit is not None:
                target, other = (start, end) if unit == YEAR_SECONDS else (end, start)
                dated[target.name] = (other.name, duration.name)
                break
    return dated


def _duration_unit(seconds: Values, duration: ComparedColumn) -> float | None:
    """Return the unit, in seconds, in which a number tells times between dates.

    None where it does not.
    """
    assert duration.numbers is not None
    known_mask = ~(np.isnan(seconds) | np.isnan(duration.numbers))
    amounts, seconds = duration.numbers[known_mask], seconds[known_mask]
    if amounts.size < MIN_RECORDS or amounts.std() == 0.0:
        return None
    for unit in UNIT_SECONDS:
        wrong = amounts - seconds / unit
        if (np.abs(wrong) <= 1.0 + 1e-6).mean() >= 1.0 - MAX_EXCEPTION_SHARE and (
            wrong.std() < 0.25 * amounts.std()
        ):
            return unit
    return None
