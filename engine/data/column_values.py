"""What a column's values tell about it, without regard to hints in its name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.core.message import NOTHING, Message
from engine.data.column_names import (
    MAYBE_WEIGHTS,
    NAMES,
    NUMBERS,
    SUBJECTS,
    SURVEYS,
    WEIGHTS,
    words_of,
)

FEW = 10
"""Whole numbers with at most so many different values are steps of a scale."""

HEAD = 20_000
"""Values that are looked at first; most questions are settled by them."""

_PATTERNS = (
    (Message("e-mail addresses"), r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    (Message("web addresses"), r"(https?://|www\.)\S+"),
    (Message("network addresses"), r"\d{1,3}(\.\d{1,3}){3}"),
    (
        Message("bank account numbers"),
        r"[A-Z]{2}\d{2} ?([A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}",
    ),
    (Message("telephone numbers"), r"(\+|00|0\d|\(\d)[\d ()/.-]{7,}"),
)


class Values:
    """One column's values that are not missing, and what is known of them.

    Parameters
    ----------
    column : pandas.Series
    """

    def __init__(self, column: pd.Series) -> None:
        self.complete = not column.hasnans
        self.all = column if self.complete else column.dropna()
        self.n = len(self.all)
        self.head = self.all.iloc[:HEAD]
        self.distinct = int(self.head.nunique())
        if self.n > HEAD and self.distinct <= FEW:
            self.distinct = int(self.all.nunique())
        self.numeric = pd.api.types.is_numeric_dtype(
            column.dtype
        ) and not pd.api.types.is_bool_dtype(column.dtype)
        self.dates = pd.api.types.is_datetime64_any_dtype(column.dtype)

    @property
    def different(self) -> Message:
        """How many different values there are, for people."""
        if self.n > HEAD and self.distinct > FEW:
            return Message("at least {count:,} different", count=self.distinct)
        return Message("{count:,} different", count=self.distinct)

    @property
    def constant(self) -> bool:
        """Whether several values are one and the same."""
        return self.n > 1 and self.distinct == 1

    @property
    def all_different(self) -> bool:
        """Whether no value comes twice."""
        return self.distinct == len(self.head) and (
            self.n <= HEAD or bool(self.all.is_unique)
        )

    @property
    def whole(self) -> bool:
        """Whether the values are whole numbers."""
        if pd.api.types.is_integer_dtype(self.all.dtype):
            return True
        if not self.numeric:
            return False
        numbers = self.all.to_numpy(dtype=np.float64)
        return bool((np.isfinite(numbers) & (numbers == np.floor(numbers))).all())


def weighs_records(name: str, values: Values) -> bool:
    """Return whether a column says how many units each record stands for.

    Only where its name can hardly mean anything else, and each record has a positive
    number: a body has a weight too.
    """
    words = words_of(name)
    named = WEIGHTS.intersection(words) or (
        MAYBE_WEIGHTS.intersection(words) and SURVEYS.intersection(words)
    )
    if not named or not values.numeric or not values.complete or values.constant:
        return False
    numbers = values.all.to_numpy(dtype=np.float64)
    return bool((np.isfinite(numbers) & (numbers > 0)).all())


def identifying(name: str, values: Values) -> Message:
    """Return why the values single out records, or nothing."""
    if values.dates:
        return NOTHING
    if values.numeric:
        return _identifying_numbers(name, values)
    sample = values.head.iloc[:200].astype(str)
    for what, pattern in _PATTERNS:
        if sample.str.fullmatch(pattern).mean() > 0.8:
            return Message("It holds {what}.", what=what)
    share = values.distinct / len(values.head)
    words = words_of(name)
    if share > 0.5 and (NAMES.intersection(words) or _is_subject(words)):
        return Message("It holds names, most of them different.")
    if values.n >= 10 and share > 0.9:
        return Message("Nearly every value is different, so it singles out records.")
    return NOTHING


def _identifying_numbers(name: str, values: Values) -> Message:
    if values.n < 4 or not values.whole or not values.all_different:
        return NOTHING
    numbers = values.all.to_numpy(dtype=np.float64)
    gapless = values.n >= 20 and np.ptp(numbers) == values.n - 1
    if gapless or (np.diff(numbers) == 1).all():
        return Message("It counts the records: every number comes once, without a gap.")
    words = words_of(name)
    if (
        NUMBERS.intersection(words)
        or _is_subject(words)
        or any(word.endswith(("nummer", "number")) for word in words)
    ):
        return Message("By its name and values it is a number given to each record.")
    digits = np.floor(np.log10(np.maximum(np.abs(numbers), 1)))
    if values.n >= 50 and digits[0] >= 7 and np.ptp(digits) == 0:
        return Message(
            "Every value is different and has the same number of digits, as numbers "
            "given to people or companies have."
        )
    return NOTHING


def _is_subject(words: list[str]) -> bool:
    return len(words) == 1 and words[0] in SUBJECTS
