"""Detectors of diagnosis codes, row indexes and record numbers."""

from __future__ import annotations

import re

import numpy as np

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, UNSURE, ColumnView, Finding
from engine.data.propose.detectors.words import AMOUNT_WORDS, CALENDAR_WORDS

ICD10_PATTERN = r"[A-TV-Z]\d[0-9A-B](\.[0-9A-TV-Z]{1,4}[!*+-]?|[-!*+])?"

PLAIN_ICD10_PATTERN = r"[A-TV-Z]\d[0-9AB][0-9A-TV-Z]{0,4}"
"""Codes of diagnoses as databases keep them, without their point."""

MIN_CHAPTERS, MIN_PLAIN_CODES = 10, 30
"""First letters, and different codes, from which codes without a point are such."""

MIN_GIVEN_DIGITS, MIN_POSSIBLE_DIGITS = 7, 6
"""Digits from which numbers are given to each record, and from which they may be."""

MIN_NAMED_SHARE = 0.8
"""Different values, as a share of the records, of names of rows."""

FIRST_YEAR, LAST_YEAR = 1000, 2100
"""Numbers between which a column that is called years holds them."""

MIN_COUNTED_ROWS = 150
"""Records from which numbers without a gap count the rows, and not ages or days."""

ROW_NAMES = re.compile(
    r"(row|obs|record|case)?[ ._]?(names?|index|idx|num|number|no|nr|id|_)|rownames?"
    r"|row|obs|observation|unnamed: ?\d+|x|x\.?1|\.\.\.1|v1|column 1|_n_|index|level_0"
)
"""What programs call the column in which they keep the names of rows."""


def detect_row_index(column: ColumnView) -> Finding | None:
    """Return a finding if a column counts or names the rows, as data tools do."""
    values = column.values
    name = column.name.strip().casefold()
    if _count_the_rows(column):
        note = Message("It counts the records: every number comes once, without a gap.")
        return Finding(Role.IDENTIFIER, (note,), CERTAIN, Kind.NOMINAL, "record-number")
    if _hold_row_names(column):
        note = Message("It names the rows, as programs do: every one has another.")
        return Finding(Role.IDENTIFIER, (note,), CERTAIN, Kind.NOMINAL, "row-name")
    # The name first: whether all values differ takes long to see in a large table.
    if values.n < 4 or values.dates or ROW_NAMES.fullmatch(name) is None:
        return None
    if not (values.words or values.is_integer) or not values.is_unique:
        return None
    if not name.startswith(("row", "unnamed", "...", "column")) and not (
        values.numeric and np.ptp(values.numbers) < 1.5 * values.n
    ):
        return None
    note = Message("It names the rows, as programs do: every one has another.")
    return Finding(Role.IDENTIFIER, (note,), CERTAIN, Kind.NOMINAL, "row-name")


def _hold_row_names(view: ColumnView) -> bool:
    """Return whether a column is called names of rows, and hardly a value repeats.

    As numbers, 1978.1 and 1978.10 are one.
    """
    called = view.name.strip().casefold().replace("_", "").replace(".", "")
    values = view.values
    return (
        called in ("rownames", "rowname", "row names")
        and values.n >= 4
        and not values.dates
        and values.distinct_share > MIN_NAMED_SHARE
    )


def _count_the_rows(view: ColumnView) -> bool:
    """Return whether numbers rise from 0 or 1 by one, as no trait of so many does.

    Whatever the column is called, such as a rank: whoever has the file has the row.
    """
    values = view.values
    if not values.numeric or not values.complete or values.n < MIN_COUNTED_ROWS:
        return False
    if values.all.iloc[0] not in (0, 1) or not values.is_integer:
        return False
    return bool((np.diff(values.numbers) == 1).all())


def detect_health_codes(column: ColumnView) -> Finding | None:
    """Return a finding if nearly all values look like ICD-10 diagnosis codes."""
    values = column.values
    if not values.words or values.n_distinct < 3:
        return None
    texts = values.sampled_texts
    pointed = sum("." in text for text in texts) / len(texts)
    has_points = pointed >= 0.3 and values.matching_share(ICD10_PATTERN) >= 0.9
    if not (has_points or _are_plain_icd_codes(column)):
        return None
    note = Message(
        "It holds codes of diagnoses (ICD), which nobody should learn of somebody."
    )
    return Finding(Role.CONFIDENTIAL, (note,), LIKELY, Kind.NOMINAL, "health")


def _are_plain_icd_codes(view: ColumnView) -> bool:
    """Return whether codes are those of diagnoses without points, of most chapters.

    Rooms, seats and parts have fewer letters, or one length.
    """
    texts = view.values.sampled_texts
    if len(texts) < MIN_PLAIN_CODES or len({text[0] for text in texts}) < MIN_CHAPTERS:
        return False
    lengths = {len(text) for text in texts}
    return len(lengths) > 1 and view.values.matching_share(PLAIN_ICD10_PATTERN) >= 0.95


def detect_record_numbers(column: ColumnView) -> Finding | None:
    """Return a finding if a column counts records or gives each a number or code."""
    values = column.values
    if not values.numeric:
        return _detect_record_codes(column)
    if values.n < 4 or not values.is_integer or not values.is_unique:
        return None
    numbers = values.numbers
    if CALENDAR_WORDS.intersection(column.words) and (
        numbers.min() >= FIRST_YEAR and numbers.max() <= LAST_YEAR
    ):
        return None  # the years of a series
    if numbers.min() > 1 and not AMOUNT_WORDS.isdisjoint(column.words):
        return None  # an amount by which the file is sorted
    gapless = values.n >= 20 and np.ptp(numbers) == values.n - 1
    if gapless or (np.diff(numbers) == 1).all():
        note = Message("It counts the records: every number comes once, without a gap.")
        return Finding(Role.IDENTIFIER, (note,), CERTAIN, Kind.NOMINAL, "record-number")
    digits = np.floor(np.log10(np.maximum(np.abs(numbers), 1))) + 1
    if values.n < 50 or digits[0] < MIN_POSSIBLE_DIGITS or np.ptp(digits) != 0:
        return None
    note = Message(
        "Every value is different and has the same number of digits, as numbers "
        "given to people or companies have."
    )
    role = Role.IDENTIFIER if digits[0] >= MIN_GIVEN_DIGITS else Role.UNDECIDED
    sure = LIKELY if digits[0] >= MIN_GIVEN_DIGITS else UNSURE
    undecided = role is Role.UNDECIDED
    kind = None if undecided else Kind.NOMINAL
    return Finding(role, (note,), sure, kind, "record-number", undecided)


def _detect_record_codes(view: ColumnView) -> Finding | None:
    """Find codes such as P-00123 that each record has one of."""
    values = view.values
    if not values.words or values.n < 20 or values.distinct_share < 0.95:
        return None
    if (
        values.matching_share(r"[A-Za-z]{0,6}[-_/ ]?\d{3,}([-_/ ]\d+)*[A-Za-z]{0,3}")
        < 0.95
    ):
        return None
    if len({len(text) for text in values.sampled_texts}) > 3:
        return None
    note = Message(
        "It holds codes, nearly all of them different, as records are given."
    )
    return Finding(Role.IDENTIFIER, (note,), LIKELY, Kind.NOMINAL, "record-number")
