"""Kinds of columns of numbers: amounts, ranks or codes.

Codes have no mean: between race 3 and race 5 there is no race 4. In doubt a column is
of codes if it has few values, and of ranks if it has many: of both the common value is
one that the file has, so that nothing is invented.
"""

from __future__ import annotations

import numpy as np

from engine.core.message import Message
from engine.data.kinds import Kind
from engine.data.propose.base import ColumnView, Finding
from engine.data.propose.detectors.words import (
    COUNTED,
    COUNTED_ENDS,
    MEASURE_WORDS,
    SORT_WORDS,
    has_numbering_word,
    is_count_name,
    is_plural_name,
)
from engine.data.propose.names import split_into_word_set
from engine.data.propose.values import MAX_SCALE_STEPS, ColumnValues

AMOUNTS = frozenset(["means", "age", "pay", "money", "health-measure", "family"])
"""Concepts whose numbers measure or count."""

SCALES = frozenset(["schooling", "score"])
"""Concepts whose few numbers are steps of a scale."""

CODED = split_into_word_set(
    """
    code codes cd coded kod codigo codice industry ind indp occ occp occupation isco
    soc naics nace sic isic icd icd9 icd10 fip fips ccode cowcode iso ison isocode puma
    statefip county tract block race rac1p ethnicity religion relig marital msp region
    division sex gender type category group class stratum strata psu cluster treatment
    arm site centre center clinic status mode choice state district zone area zip
    postcode wave round unit team item course form version method reason cause
    ewe sire dam ram sow mare cow bull heifer calf boar stallion litter
    """
)
"""Words for what has a number instead of a name."""

POINTED_CODES = split_into_word_set(
    """
    nace nace1 nace2 nacerev2 isic isic3 isic4 naics naf cnae ateco pkd wz wz2003 wz2008
    anzsic icd icd9 icd10 icpc isco isco08
    """
)
"""Lists whose codes may have a point inside, as 47.11 of NACE or 250.01 of ICD-9."""

SPARSE = 0.35
"""Share of the numbers between smallest and largest below which there are gaps."""

LEAST_TIMES, LEAST_TIMES_OF_CODES = 3.0, 5.0
"""Records that a number has on average, at least, if it may be or is a code."""

ROUND = 0.5
"""Share of multiples of ten from which numbers are rounded amounts."""


def infer_kind_and_reason(
    number_column: ColumnView, finding: Finding
) -> tuple[Kind, Message | None]:
    """Return the kind of a column of numbers that may be codes, and any reason for it.

    Parameters
    ----------
    number_column : ColumnView
        A column of numbers that may be codes.
    finding : Finding
        What its detector made of it.
    """
    values, words = number_column.values, {*number_column.words}
    words |= {word.rstrip("0123456789") for word in words}  # wage76 is a wage
    if values.n_distinct <= 2:
        return Kind.NOMINAL, None
    is_rare = values.n < LEAST_TIMES_OF_CODES * values.n_distinct
    has_decimals = not (values.is_integer or values.is_filled)
    if values.has_few_distinct and has_decimals and (values.has_halves or not is_rare):
        return Kind.ORDINAL, Message(
            "Few numbers, as steps of a score: nothing between them is made up."
        )
    if has_decimals:
        if words & POINTED_CODES:
            return Kind.NOMINAL, Message(
                "Codes with a point inside: nothing between them is made up."
            )
        return Kind.CONTINUOUS, None
    if finding.about in ("event", "wave") or (
        values.is_dated and values.n_distinct > 2
    ):
        reason = Message(
            "Years and dates as numbers: their common value is one of the file's own."
        )
        return Kind.ORDINAL, reason
    counted = (
        bool(words & (COUNTED | MEASURE_WORDS))
        or is_count_name(number_column.words)
        or any(word.endswith(COUNTED_ENDS) for word in words)
    )
    amount = counted or finding.about in AMOUNTS
    named = bool(words & (CODED | SORT_WORDS)) or has_numbering_word(
        number_column.words
    )
    if values.has_few_distinct and values.n >= 3 * values.n_distinct:
        if counted or (amount and not named) or finding.about in SCALES:
            return Kind.ORDINAL, None
        reason = Message(
            "Few whole numbers, which may be codes: nothing between them is made up."
        )
        return Kind.NOMINAL, reason
    if amount and not (named and not counted):
        return Kind.CONTINUOUS, None
    like_codes = _like_codes(values)
    if named or (
        like_codes and not is_rare and not is_plural_name(number_column.words)
    ):
        reason = Message(
            "Whole numbers that may be codes: their common value is one of the file's "
            "own, and nothing between them is made up."
        )
        return Kind.NOMINAL, reason
    if not like_codes and _like_amounts(values):
        return Kind.CONTINUOUS, None
    reason = Message("Whole numbers: their common value is one of the file's own.")
    return Kind.ORDINAL, reason


def _like_codes(values: ColumnValues) -> bool:
    """Return whether numbers come again and again, with gaps, and have one length."""
    numbers = np.abs(values.numbers)
    spread = float(np.ptp(numbers)) + 1.0
    if values.n < LEAST_TIMES * values.n_distinct or numbers.min() < 10:
        return False
    if _rounded(numbers) or values.n_distinct > SPARSE * spread:
        return False
    digits = np.floor(np.log10(numbers))
    same = float(np.bincount(digits.astype(np.int64)).max()) / digits.size
    return same > 0.9 and digits.max() >= 2 and not _one_hill(values)


def _one_hill(values: ColumnValues) -> bool:
    """Return whether most lie about the middle, as what is measured does."""
    numbers = np.sort(values.numbers)
    low, high = numbers[0], numbers[-1]
    if high == low:
        return False
    counts = np.histogram(numbers, bins=8)[0]
    top = int(np.argmax(counts))
    rising = bool((np.diff(counts[: top + 1]) >= 0).all())
    falling = bool((np.diff(counts[top:]) <= 0).all())
    return rising and falling


def _like_amounts(values: ColumnValues) -> bool:
    """Return whether numbers are too many, too rounded or too dense for codes."""
    numbers = values.numbers
    if numbers.min() < 0 or values.distinct_share > 0.3 or _rounded(numbers):
        return True
    spread = float(np.ptp(numbers)) + 1.0
    if values.n_distinct > 2 * MAX_SCALE_STEPS and values.n_distinct > SPARSE * spread:
        return True
    return _one_hill(values)


def _rounded(numbers: np.ndarray) -> bool:
    some = numbers[numbers > 0]
    return bool(some.size and (some % 10 == 0).mean() > ROUND and some.max() >= 100)
