"""Properties of a column's values, the costly ones computed once on first use."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.core.typing import Values as Numbers
from engine.data.propose.names import split_into_word_set
from engine.data.propose.sampling import spread_places

MAX_SCALE_STEPS = 10
"""Whole numbers with at most so many different values are steps of a scale."""

MAX_FILLED_SHARE = 0.01
"""Share of the records, at most, whose gap a mean fills among whole numbers."""

HEAD_VALUES = 20_000
"""Values that are looked at first; most questions are settled by them."""

MIN_RECORDS_OF_REST = 30
"""Records beside those of the commonest value from which they are looked at alone."""

MAX_SAMPLED_TEXTS = 300
"""Different texts whose shape is looked at."""

MAX_TEXT_CHARS = 300
"""Characters of a text that are looked at: of addresses and names there are fewer."""

MAX_PLAUSIBLE_COUNT = 10_000
"""Whole numbers are mostly below this where they count or measure something."""

MIN_REMARK_WORDS = 2
"""Mean words of texts from which they may be remarks though they come again."""

_FLAG_WORDS = split_into_word_set(
    """
    yes no y n ja nein oui non si no s sim nao tak nie t true false f x v 1 0
    wahr falsch vrai faux vero falso prawda falsz j o 是 否 有 无 да нет evet hayir
    """
)
"""What is ticked or not, in the languages of column names."""

_DATE_PATTERN = (
    r"(\d{4}([-/.年])\d{1,2}(([-/.月])\d{1,2}日?|月?)"
    r"|\d{1,2}([-/. ]{1,2})\d{1,2}([-/. ]{1,2})(\d{4}|\d{2})"
    r"|\d{1,2}[. -]{1,2}[^\W\d]{3,9}[. ,-]{1,2}\d{2,4}"
    r"|[^\W\d]{3,9} \d{1,2},? \d{4})([ T]\d{1,2}:\d{2}.*)?"
)

_WORD_PATTERN = re.compile(r"[^\W\d_]{3,}")

MAX_DATE_WORDS = 30
"""Words that dates are made of, at most: long and short names of months."""


class ColumnValues:
    """Non-missing values of one column, and their properties."""

    def __init__(self, column: pd.Series) -> None:
        # Asked of the array: a series of flags takes longer than to find them.
        missing = pd.isna(column.array)
        self.complete = not missing.any()
        self.all = column if self.complete else column[~missing]
        self.n = len(self.all)
        self.boolean = pd.api.types.is_bool_dtype(column.dtype)
        self.numeric = pd.api.types.is_numeric_dtype(column.dtype) and not self.boolean
        self.dates = pd.api.types.is_datetime64_any_dtype(column.dtype)
        self.words = not (self.numeric or self.dates or self.boolean)
        self.head = self.all.iloc[:HEAD_VALUES] if self.n > HEAD_VALUES else self.all

    @cached_property
    def _unique(self) -> Any:
        """Different values among the first ones."""
        plain = isinstance(self.head.dtype, np.dtype)
        return pd.unique(self.head.to_numpy() if plain else self.head.array)

    @cached_property
    def n_distinct(self) -> int:
        """Number of distinct values; if there are many, among the first values."""
        count = len(self._unique)
        if self.n > HEAD_VALUES and count <= MAX_SCALE_STEPS:
            return int(self.all.nunique())
        return count

    @property
    def distinct_message(self) -> Message:
        """Number of distinct values, in words."""
        if self.n > HEAD_VALUES and self.n_distinct > MAX_SCALE_STEPS:
            return Message("at least {count:,} different", count=self.n_distinct)
        return Message("{count:,} different", count=self.n_distinct)

    @property
    def is_constant(self) -> bool:
        """Whether the column has several values, and all are equal."""
        if self.n < 2:
            return False
        first = self.all.array[:2]  # which are rarely the same
        return not bool(first[0] != first[1]) and self.n_distinct == 1

    @cached_property
    def is_unique(self) -> bool:
        """Whether all values are distinct."""
        return self.n_distinct == len(self.head) and (
            self.n <= HEAD_VALUES or bool(self.all.is_unique)
        )

    @property
    def distinct_share(self) -> float:
        """Share of distinct values among the first values."""
        return self.n_distinct / max(1, len(self.head))

    @cached_property
    def distinct_share_of_rest(self) -> float:
        """Share of distinct values among records without the most frequent value.

        The commonest is left aside where it fills more than half of the records, as a
        word for nothing does in a column of remarks.
        """
        codes = pd.factorize(self.head)[0]
        commonest = int(np.bincount(codes).max(initial=0))
        rest = len(self.head) - commonest
        if commonest <= rest or rest < MIN_RECORDS_OF_REST:
            return self.distinct_share
        return (self.n_distinct - 1) / rest

    @property
    def has_few_distinct(self) -> bool:
        """Whether there are few enough distinct values for levels or classes."""
        return self.n_distinct <= MAX_SCALE_STEPS

    @property
    def has_many_distinct(self) -> bool:
        """Whether there are too many distinct values for classes."""
        return not (self.has_few_distinct and self.n >= 3 * self.n_distinct)

    @property
    def may_be_remarks(self) -> bool:
        """Whether the values may be free text: many, or of several words."""
        texts = self.sampled_texts
        words = sum(len(text.split()) for text in texts)
        return self.has_many_distinct or words >= MIN_REMARK_WORDS * len(texts)

    @cached_property
    def is_integer(self) -> bool:
        """Whether the values are whole numbers."""
        if pd.api.types.is_integer_dtype(self.all.dtype):
            return True
        return self.numeric and not self.fractions.size

    @property
    def may_be_codes(self) -> bool:
        """Whether a numeric column may hold codes or steps, though some have decimals.

        These are whole numbers among which one number with decimals fills gaps, as the
        mean does, and few numbers that come again and again, as of a score.
        """
        if not self.numeric or self.is_integer:
            return self.numeric
        if self.is_filled and self.fractions.size <= MAX_FILLED_SHARE * self.n:
            return True
        return not self.has_many_distinct and bool(np.isfinite(self.fractions).all())

    @property
    def has_halves(self) -> bool:
        """Whether numbers are whole but for halves."""
        return self.fractions.size > 0 and bool((self.fractions % 1.0 == 0.5).all())

    @property
    def is_filled(self) -> bool:
        """Whether all numbers but one are whole, and this one is no half of a step."""
        fractions = self.fractions
        if not fractions.size or not np.isfinite(fractions).all():
            return False
        return bool(fractions.min() == fractions.max() and fractions[0] % 1.0 != 0.5)

    @cached_property
    def fractions(self) -> Numbers:
        """The numbers that are not whole, infinity too, shape (at most n,)."""
        numbers = self.numbers
        found: Numbers = numbers[~np.isfinite(numbers) | (numbers != np.floor(numbers))]
        return found

    @cached_property
    def numbers(self) -> Numbers:
        """The values of a numeric column as float64, shape (n,)."""
        return self.all.to_numpy(dtype=np.float64)

    @cached_property
    def sampled_texts(self) -> tuple[str, ...]:
        """Distinct texts from the whole column, at most `MAX_SAMPLED_TEXTS`."""
        values: Any = self._unique
        if self.n > HEAD_VALUES:  # the beginning, and as many from all over the rest
            spread = np.linspace(HEAD_VALUES // 2, self.n - 1, HEAD_VALUES // 2).astype(
                np.int64
            )
            places = np.append(np.arange(HEAD_VALUES // 2), spread)
            values = pd.unique(self.all.iloc[places])
        if len(values) > MAX_SAMPLED_TEXTS:
            values = values[spread_places(len(values), MAX_SAMPLED_TEXTS)]
        if self.numeric and self.is_integer:
            return tuple(str(int(value)) for value in values)
        if self.words:
            values = values.tolist()  # one by one takes ten times as long
        return tuple(
            text for value in values if (text := str(value)[:MAX_TEXT_CHARS].strip())
        )

    @property
    def has_all_texts_sampled(self) -> bool:
        """Whether :attr:`sampled_texts` has all distinct values."""
        return self.n <= HEAD_VALUES and self.n_distinct <= MAX_SAMPLED_TEXTS

    def matching_share(self, pattern: str, flags: int = 0) -> float:
        """Return the share of distinct texts that match a pattern completely."""
        regex = re.compile(pattern, flags)
        return sum(
            regex.fullmatch(text) is not None for text in self.sampled_texts
        ) / max(1, len(self.sampled_texts))

    @cached_property
    def is_no_flag(self) -> bool:
        """Whether the values are something other than flags such as yes and no."""
        if self.boolean:
            return False
        if self.n_distinct > 3 or not self.n:
            return True
        return not all(text.casefold() in _FLAG_WORDS for text in self.sampled_texts)

    @property
    def has_digits(self) -> bool:
        """Whether half of the values have digits, as telephone numbers do."""
        return not self.words or self.matching_share(r".*\d.*", re.DOTALL) >= 0.5

    @property
    def is_no_date(self) -> bool:
        """Whether the values are not dates, or dates as whole numbers."""
        return not self.is_dated or self.numeric

    @property
    def is_no_fraction(self) -> bool:
        """Whether the values can be codes: no number has decimals."""
        return not self.numeric or self.is_integer

    @cached_property
    def is_no_count(self) -> bool:
        """Whether the values can hardly be counts or amounts."""
        if not self.numeric:
            return True
        return self.is_integer and bool(
            np.median(np.abs(self.numbers)) >= MAX_PLAUSIBLE_COUNT
        )

    @property
    def is_short(self) -> bool:
        """Whether the values are as short as names of years and survey rounds."""
        return all(len(text) <= 10 for text in self.sampled_texts)

    @cached_property
    def is_dated(self) -> bool:
        """Whether the values are dates, also as text or as years."""
        if self.dates:
            return True
        if self.boolean or not self.n:
            return False
        if self.numeric:
            if not self.is_integer:
                return False
            low, high = self.numbers.min(), self.numbers.max()
            return bool(
                (low >= 1850 and high <= 2100)
                or (low >= 18500101 and high <= 21001231)
                or (low >= 185001 and high <= 210012)
            )
        if self.matching_share(_DATE_PATTERN) <= 0.8:
            return False
        # There are twelve months, but many more codes such as 7-XKD-42.
        letters = {
            word for text in self.sampled_texts for word in _WORD_PATTERN.findall(text)
        }
        return len(letters) <= MAX_DATE_WORDS
