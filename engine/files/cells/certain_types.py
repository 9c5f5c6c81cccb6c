"""Conversion of text columns whose type is certain, many columns at a time.

Each question that :mod:`engine.files.cells.convert` asks of one column costs some tens
of microseconds, however short the column is. Here a question is asked of the cells of
hundreds of columns at once; what is not certain then is left to be asked one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.files.cells.dates import may_be_date
from engine.files.cells.digits import MAX_SAFE_DIGITS
from engine.files.cells.locale import DecimalAndDateOrder
from engine.files.cells.missing_words import (
    MISSING_PHRASES,
    MISSING_WORDS,
    POSSIBLE_MISSING_WORDS,
)
from engine.files.cells.numbers import may_be_number

CELLS_PER_BATCH = 1 << 20
"""Cells that are looked at in one go."""

MIN_BATCH_COLUMNS = 16
"""Columns below which one by one is as fast, and takes less memory."""

_HEAD_CELLS = 8
"""First cells of a column among which one tells that it is text."""

_INTEGER_PATTERN = r"^(?:0|-?[1-9][0-9]{0,17})$"
_MISSING_TEXTS = {"", *MISSING_WORDS, *MISSING_PHRASES, *POSSIBLE_MISSING_WORDS}

Flags = NDArray[np.bool_]


def try_convert_columns_in_batches(
    columns: Sequence[Any], locale: DecimalAndDateOrder
) -> list[Any | None]:
    """Return a list of columns' values; None where uncertain, or all if too few.

    They are what :func:`engine.files.cells.convert.convert_text_column` makes of the
    same column: without a format of its own, a question, or words for missing
    values, and with every digit held.

    Parameters
    ----------
    columns : sequence of pyarrow.ChunkedArray of string
        Of one length; empty cells are null.
    locale : DecimalAndDateOrder
        What the columns tell about each other.

    Returns
    -------
    list of array or None
        Of int64, Int64, float64 or str. None for all columns if they are too few for a
        batch.
    """
    n_records = len(columns[0])
    at_once = CELLS_PER_BATCH // max(n_records, 1)
    if min(at_once, len(columns)) < MIN_BATCH_COLUMNS:
        return [None] * len(columns)
    arrays: list[Any | None] = []
    for start in range(0, len(columns), at_once):
        arrays += _Cells.of(columns[start : start + at_once], n_records).plain(locale)
    return arrays


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of some columns, one column after the other.

    Attributes
    ----------
    text : pyarrow.Array of large_string, shape (n_columns * n_records,)
    shape : tuple of int
        Columns and records.
    """

    text: Any
    shape: tuple[int, int]

    @classmethod
    def of(cls, columns: Sequence[Any], n_records: int) -> _Cells:
        import pyarrow as pa

        chunks = [chunk for column in columns for chunk in column.chunks]
        text = pa.chunked_array(chunks, pa.string()).cast(pa.large_string())
        return cls(text.combine_chunks(), (len(columns), n_records))

    def plain(self, file: DecimalAndDateOrder) -> list[Any | None]:
        """Return what each column holds; None where that is not certain."""
        missing = self._flags(self.text.is_null())
        integers = self._integers(missing)
        fractions = self._fractions(missing, file) & ~integers
        arrays: list[Any | None] = [None] * self.shape[0]
        self._convert(arrays, integers, missing, None)
        self._convert(arrays, fractions, missing, file.decimal)
        empty = missing.all(axis=1)
        for j in np.flatnonzero(empty):
            arrays[j] = np.full(self.shape[1], np.nan)
        for j in np.flatnonzero(~(integers | fractions | empty)):
            head = self.text.slice(j * self.shape[1], min(_HEAD_CELLS, self.shape[1]))
            if any(
                cell is not None and is_certainly_text(cell)
                for cell in head.to_pylist()
            ):
                column = self.text.slice(j * self.shape[1], self.shape[1])
                arrays[j] = column.to_pandas().array
        return arrays

    def _integers(self, missing: Flags) -> Flags:
        """Return which columns are whole numbers, and no days such as 20251231."""
        import pyarrow.compute as pc

        fits = (
            self._flags(pc.match_substring_regex(self.text, _INTEGER_PATTERN)) | missing
        )
        length = self._flags(pc.not_equal(pc.binary_length(self.text), 8))
        return np.asarray(fits.all(axis=1) & length.any(axis=1))

    def _fractions(self, missing: Flags, file: DecimalAndDateOrder) -> Flags:
        """Return which columns are numbers with decimals, few enough to be held."""
        import pyarrow.compute as pc

        sign = rf"\{file.decimal}"
        pattern = rf"^-?(?:0|[1-9][0-9]*)(?:{sign}[0-9]+)?$"
        short = pc.less_equal(pc.binary_length(self.text), MAX_SAFE_DIGITS)
        fits = pc.and_(short, pc.match_substring_regex(self.text, pattern))
        marked = pc.match_substring(self.text, file.decimal)
        if not (file.sure or file.delimiter == "," or file.decimal == ","):
            # Where every point stands before three digits, it may part thousands.
            thousands = rf"^-?[1-9][0-9]{{0,2}}{sign}[0-9]{{3}}$"
            marked = pc.and_not(marked, pc.match_substring_regex(self.text, thousands))
        every = (self._flags(fits) | missing).all(axis=1)
        return np.asarray(every & self._flags(marked).any(axis=1))

    def _convert(
        self,
        converted: list[Any | None],
        which: Flags,
        missing: Flags,
        decimal: str | None,
    ) -> None:
        """Convert columns of whole numbers, or of numbers with a decimal sign."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not which.any():
            return
        text = self.text.filter(pa.array(np.repeat(which, self.shape[1])))
        if decimal == ",":
            text = pc.replace_substring(text, ",", ".")
        whole = decimal is None
        values = text.cast(pa.int64() if whole else pa.float64())
        values = values.fill_null(0 if whole else float("nan")).to_numpy()
        table = values.reshape(-1, self.shape[1])
        for j, row in zip(np.flatnonzero(which), table, strict=True):
            lacks = whole and missing[j].any()
            converted[j] = pd.arrays.IntegerArray(row, missing[j]) if lacks else row

    def _flags(self, flags: Any) -> Flags:
        """Return an answer for each cell, of no for those that are missing."""
        answers = flags.fill_null(False).to_numpy(zero_copy_only=False)
        return np.asarray(answers.reshape(self.shape))


@lru_cache(maxsize=1 << 14)
def is_certainly_text(cell: str) -> bool:
    """Return whether a column that contains this cell is certainly text.

    So it is if nobody writes a number or a date like that, and if it is no word for a
    missing value.
    """
    cell = cell.strip()
    if cell in _MISSING_TEXTS or len(cell) > 1_000:
        return False
    try:
        float(cell.replace(",", "."))  # also 1e5 and inf
    except ValueError:
        return not (may_be_number(cell) or may_be_date(cell))
    return False
