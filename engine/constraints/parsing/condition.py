"""Masks of records that meet conditions such as ``region = north and age >= 18``.

They are written as what stands behind "if" in a rule, and may name any column.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from engine.constraints.edits import Atom, WordTest
from engine.constraints.parsing.expressions import RuleSyntaxError
from engine.constraints.parsing.read_edits import parse_condition
from engine.core.errors import EngineError, ParameterError
from engine.core.typing import Booleans, Values
from engine.data.conversion.numeric import ONE_DAY, UNIX_EPOCH
from engine.hierarchy import leaf_text_of

_DATE_PATTERN = re.compile(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|(?<![\w.])(?P<date>\d{4}-\d{2}-\d{2})(?![\w.])"
)

TRUTH_VALUES = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}
"""Numbers of the words that columns of true and false are compared with."""


def condition_mask(condition: str, frame: pd.DataFrame) -> Booleans:
    """Return a bool mask of the records that satisfy a condition, shape (n_records,).

    It is not true of a record that lacks one of the columns that are compared.

    Parameters
    ----------
    condition : str
        Comparisons of columns with numbers, words, dates or each other, between which
        stand "and" and "or".

    Raises
    ------
    ParameterError
        If it cannot be read, names no column, or compares words as numbers.
    """
    try:
        return _matching_records(condition, frame)
    except RuleSyntaxError:
        raise ParameterError(
            "The records to release cannot be chosen, because {text!r} cannot be read: "
            'write comparisons, as in "region = north and age >= 18", words of several '
            "parts between quotes, and dates as 2026-01-31, without quotes.",
            text=condition,
        ) from None
    except EngineError as error:
        raise ParameterError(
            "The records to release cannot be chosen: {problem}", problem=error.message
        ) from None


def matching_atom_mask(atom: Atom, frame: pd.DataFrame, rule_text: str) -> Booleans:
    """Return a bool mask of the records for which an atom holds, shape (n_records,).

    It does not hold for a record that lacks one of the columns, nor does any column
    have a word that it lacks.

    Parameters
    ----------
    atom : PolynomialComparison or WordTest
        Positions of columns are those of the frame.
    rule_text : str
        What errors quote.

    Raises
    ------
    ParameterError
        If it compares words as numbers, or with a word what holds none.
    """
    return _Columns(frame, rule_text, words_occur=False).matching_atom(atom)


def _matching_records(text: str, frame: pd.DataFrame) -> Booleans:
    columns = _Columns(frame, text)
    names = tuple(map(str, frame.columns))
    mask = np.zeros(len(frame), dtype=np.bool_)
    for alternative in parse_condition(
        _DATE_PATTERN.sub(columns.day_number, text), names, text
    ):
        alternative_mask = np.ones(len(frame), dtype=np.bool_)
        for atom in alternative:
            alternative_mask &= columns.matching_atom(atom)
        mask |= alternative_mask
    return mask


class _Columns:
    """A table's columns as numbers, dates as days since 1970; words as their codes."""

    def __init__(
        self, frame: pd.DataFrame, text: str, words_occur: bool = True
    ) -> None:
        self._frame, self._text, self._words_occur = frame, text, words_occur
        self._dates: dict[str, str] = {}

    def day_number(self, match: re.Match[str]) -> str:
        """Return a date as its day's number, and anything between quotes as it is."""
        date = match["date"]
        if date is None:
            return match[0]
        number = str(int(self._days(date)))
        self._dates[number] = date  # which a column of words may have as well
        return number

    def matching_atom(self, atom: Atom) -> Booleans:
        """Return which records have what is compared, and compare as it says."""
        if isinstance(atom, WordTest):
            return self._is(atom.column, atom.word, atom.equal)
        literal = atom.literal
        if literal is not None:
            column, number = literal
            equal = atom.relation == "="
            if self._holds_words(column):
                return self._is(column, self._dates.get(number, number), equal)
            # Exactly: a code of ten digits is not the next one.
            return _compare_values(self._numbers(column), float(number), equal)
        present_mask = np.ones(len(self._frame), dtype=np.bool_)
        values = np.zeros((len(self._frame), max(atom.support) + 1))
        for j in atom.support:
            values[:, j] = self._numbers(j)
            present_mask &= ~np.isnan(values[:, j])
        return np.asarray(present_mask & atom.holds(values))

    def _is(self, j: int, word: str, equal: bool) -> Booleans:
        """Return which records have, or have not, one value that is no number."""
        column = self._frame.iloc[:, j]
        if self._holds_words(j):
            codes, words = pd.factorize(column)
            texts = list(map(leaf_text_of, words))
            if self._words_occur and word not in texts:
                raise ParameterError(
                    "no record has {word!r} in column {column!r}: write the word as "
                    "the file does, capital letters included.",
                    column=str(column.name),
                    word=word,
                )
            float_codes = np.where(codes < 0, np.nan, codes.astype(np.float64))
            place = texts.index(word) if word in texts else -1
            return _compare_values(float_codes, float(place), equal)
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            return _compare_values(self._numbers(j), self._days(word), equal)
        if pd.api.types.is_bool_dtype(column.dtype):
            number = TRUTH_VALUES.get(word.lower())
        else:
            number = _number(word)
        if number is None:
            raise ParameterError(
                "{rule!r} compares column {column!r} with the word {word!r}, which is "
                "none of its values.",
                rule=self._text,
                column=str(column.name),
                word=word,
            )
        return _compare_values(self._numbers(j), number, equal)

    def _numbers(self, j: int) -> Values:
        """Return a column as numbers, dates as days; NaN where a value is missing."""
        column = self._frame.iloc[:, j]
        if self._holds_words(j):
            raise ParameterError(
                "{rule!r} calculates with column {column!r}, which holds words: "
                "compare it with one of them by = or !=.",
                rule=self._text,
                column=str(column.name),
            )
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            if isinstance(column.dtype, pd.DatetimeTZDtype):
                column = column.dt.tz_localize(None)  # as the clock said there
            column = (column - UNIX_EPOCH) / ONE_DAY
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))

    def _days(self, word: str) -> float:
        moment = pd.to_datetime(word, format="ISO8601", errors="coerce")
        if not isinstance(moment, pd.Timestamp):
            raise ParameterError(
                "{rule!r} has {word!r} for a date: write year, month and day, as in "
                "2026-01-31.",
                rule=self._text,
                word=word,
            )
        return float((moment.tz_localize(None) - UNIX_EPOCH) / ONE_DAY)

    def _holds_words(self, j: int) -> bool:
        dtype = self._frame.dtypes.iloc[j]
        dates = pd.api.types.is_datetime64_any_dtype(dtype)
        return not dates and not pd.api.types.is_numeric_dtype(dtype)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _compare_values(values: Values, value: float, equal: bool) -> Booleans:
    return np.asarray(~np.isnan(values) & ((values == value) == equal))
