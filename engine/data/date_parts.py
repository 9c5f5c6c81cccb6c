"""Parts of dates that other columns may repeat, such as the year or the weekday."""

from __future__ import annotations

import pandas as pd


def date_part_series(dates: pd.Series) -> tuple[pd.Series, ...]:
    """Return eight series of date parts, such as the year; missing like dates.

    Parameters
    ----------
    dates : pandas.Series
        Of a datetime type, with or without a time zone.

    Returns
    -------
    tuple of pandas.Series
        Year, quarter, month, weekday, hour, day of the month, and the month and the
        day as counted on over the years, with the index of `dates`.
    """
    at = dates.dt
    of_the_year = at.year * 12 + at.month, at.year * 366 + at.day_of_year
    parts = at.year, at.quarter, at.month, at.day_of_week, at.hour, at.day
    return (*parts, *of_the_year)
