"""One column on the records that are compared, and the limits of comparing columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
import pandas as pd

from engine.core.typing import Booleans, Integers, Values
from engine.data.conversion.numeric import MAX_MAGNITUDE, utc_moments
from engine.data.date_parts import date_part_series

MAX_COMPARED_RECORDS = 5_000
"""Records on which columns are compared, evenly from the whole table."""

MAX_COMPARED_COLUMNS = 150
"""Columns of a table up to which each pair is compared."""

MAX_EXCEPTION_SHARE = 0.01
"""Share of the records in which a column may say something else than it should."""

MIN_RECORDS = 30
"""Records from which agreement is no accident."""

MIN_RARE_SHARE = 0.005
"""Share of the records that the less frequent values have, at least."""

MAX_CHANCE = 1e-6
"""Probability up to which it is no accident that rare columns part records alike."""

MAX_LACKING_SHARE = 0.05
"""Share of the records in which one of two columns may lack a value that the other has.
"""


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """One column's values on the records that are compared.

    Attributes
    ----------
    all_values : Series or None
        The values on all records, None where these are compared.
    persons : Series or None
        Whose each of all records is, where somebody has several.
    """

    name: str
    values: pd.Series
    is_amount: bool = False
    all_values: pd.Series | None = None
    persons: pd.Series | None = None

    @cached_property
    def codes(self) -> Integers:
        """A number for each value, -1 for a missing one."""
        return np.asarray(pd.factorize(self.values)[0], dtype=np.int64)

    @cached_property
    def distinct(self) -> int:
        """Different values."""
        return int(self.codes.max(initial=-1)) + 1

    @cached_property
    def numbers(self) -> Values | None:
        """Numbers and dates as float64; None of words and flags."""
        types, dtype = pd.api.types, self.values.dtype
        if types.is_bool_dtype(dtype):
            return None
        if is_date_column(self.values) or types.is_numeric_dtype(dtype):
            return comparable_numbers(self.values)
        return None

    @cached_property
    def seconds(self) -> Values:
        """Of dates: seconds since 1970 in their time zone, NaN where missing."""
        moments = self.values.dt.tz_localize(None).to_numpy(dtype="datetime64[s]")
        return np.where(np.isnat(moments), np.nan, moments.astype(np.float64))

    @cached_property
    def known(self) -> Booleans:
        """Where there is a value."""
        return self.codes >= 0

    @cached_property
    def is_rare(self) -> bool:
        """Whether nearly all records have one value: anything may decide the others."""
        known = self.codes[self.known]
        if known.size < MIN_RECORDS:
            return True
        others = known.size - int(np.bincount(known).max())
        return others < max(5.0, MIN_RARE_SHARE * known.size)

    @cached_property
    def classes(self) -> bytes:
        """Digest of which of all records are alike; empty where chance parts many so.

        What is missing is alike, too.
        """
        values = self.values if self.all_values is None else self.all_values
        codes = pd.factorize(values, use_na_sentinel=False)[0]
        others = codes != np.bincount(codes).argmax()
        n, m = codes.size, int(others.sum())
        if self.persons is not None:
            n, m = self.persons.nunique(), self.persons[others].nunique()
        ways = math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)
        return sha256(codes.tobytes()).digest() if ways > -math.log(MAX_CHANCE) else b""

    @cached_property
    def order(self) -> Integers:
        """Records by rising number, equal ones as they come; of a column of numbers."""
        assert self.numbers is not None
        return np.argsort(self.numbers, kind="stable")

    @cached_property
    def first_of_each(self) -> Integers:
        """The first record of each number, by rising number; of a column of numbers."""
        assert self.numbers is not None
        return np.unique(self.numbers, return_index=True)[1]

    @property
    def words(self) -> bool:
        """Whether it holds words."""
        return self.numbers is None

    @cached_property
    def date_parts(self) -> tuple[Integers, ...]:
        """A number for each value of each part of its dates; none of other values."""
        if not is_date_column(self.values):
            return ()
        parts = (pd.factorize(part)[0] for part in date_part_series(self.values))
        return tuple(np.asarray(part, dtype=np.int64) for part in parts)


def finite_numbers(values: pd.Series | pd.DataFrame) -> Values:
    """Return numbers as float64, NaN where missing, infinite or huge."""
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.abs(numbers) <= MAX_MAGNITUDE, numbers, np.nan)


def is_date_column(values: pd.Series) -> bool:
    """Return whether a column holds dates."""
    return bool(pd.api.types.is_datetime64_any_dtype(values.dtype))


def varies(values: Values) -> bool:
    """Return whether numbers differ; NaN counts for nothing."""
    known = values[~np.isnan(values)]
    return known.size > 0 and bool(known.max() > known.min())


def comparable_numbers(values: pd.Series) -> Values:
    """Return numbers, and dates as microseconds since 1970; NaN where missing."""
    if not is_date_column(values):
        return finite_numbers(values)
    moments = utc_moments(values).to_numpy(dtype="datetime64[us]")
    return np.where(np.isnat(moments), np.nan, moments.astype(np.float64))
