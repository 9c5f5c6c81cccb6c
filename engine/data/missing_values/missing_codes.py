"""Codes for missing values, such as -9 or "no answer": detection and replacement."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.data.missing_values.number_codes import (
    MAX_DISTINCT_CODES,
    MIN_RECORDS,
    MIN_SCALE_VALUES,
    count_far_codes,
    high_code_places,
    is_repeated_nine,
    low_code_places,
)
from engine.data.propose import column_labels
from engine.data.propose.names import normalised_words, split_into_word_set
from engine.data.propose.values import MAX_SCALE_STEPS
from engine.data.table import Table
from engine.hierarchy import leaf_text_of

_ONE_WORD = (
    "na n/a n.a. #n/a nan null none . .. ... - -- --- – — ? ?? / x * missing unknown "
    "refused unbekannt fehlend fehlt k.a. k.a ka nicht verweigert weigert onbekend "
    "desconocido desconhecido sconosciuto inconnu nieznane brak nd n.d. n/d s/d nr "
    "ns/nr nsp dk dk/na #nv 未知 不详 无 缺失 拒答 不知道"
)
_MORE_WORDS = (
    "k. a.,keine angabe,keine angaben,weiß nicht,weiss nicht,not available,"
    "not applicable,no answer,no data,don't know,trifft nicht zu,entfällt,"
    "non renseigné,ne sait pas,non disponibile,sin dato,sin datos,no contesta,"
    "no sabe,geen antwoord,weet niet,sem resposta,não sabe,brak danych,nie wiem"
)
MISSING_WORDS_LOWER = frozenset(_ONE_WORD.split()) | frozenset(_MORE_WORDS.split(","))
"""Words and signs for a missing value, in lower case, in a handful of languages."""

_UNSAID_WORDS = split_into_word_set(
    "missing unknown refused refusal refuses answer applicable know na dk iap"
)
"""Words of labels of values that say nothing, as in "no answer" or "don't know"."""

_UNSAID_LABEL = re.compile(
    r"((don.?t|do not) (know|remember)|can.?t (say|remember)|no (answer|response|data|"
    r"information)|not (answered|applicable|stated|asked|ascertained)|refus(ed|al)( to "
    r"(answer|say))?|missing|inap(plicable)?|iap|unknown|wei(ss|ß) (ich )?nicht|keine "
    r"(angaben?|antwort)|verweigert)( *[,/(;].*)?"
)
"""Labels of values, in lower case, that leave no doubt that nothing was said."""

_NEGATION_WORDS = frozenset(["none", "nicht", "trifft nicht zu", "brak", "无"])
"""Words that say "nothing of this", which may well be the answer."""

_MAX_CODE_LETTERS = 3
"""Letters of a code, at most."""

_NUMBER_PATTERN = re.compile(r"[-+\u2212(]?\W{0,4}\d[\d.,'\u2019\s]*\W{0,4}$")
_MIN_SHARE = 0.01
"""Share of the records that -1 has, at least, to be a code without doubt."""

_MIN_DAY_CODE = 90
"""Days before the first one, from which a code may stand for missing ones."""

_DAY_WORDS = split_into_word_set("day days dy tag tage jour jours dia dias giorno")
_STUDY_DAY = re.compile(r"[a-z]{1,3}(st|en)?dy")
"""Names of days of a study: ADY, LBDY, EXSTDY."""

_LEADING_ZERO = re.compile(r"\s*0\d+\s*")

_HEAD_TEXTS = 200
"""Different texts that tell whether most of a column are numbers."""

_LAST_DAYS = ("9999-12-31", "2999-12-31", "9999-09-09", "1900-01-01", "1800-01-01")
_N_FUTURE_DAYS = 3


@dataclass(frozen=True)
class MissingCodeEvidence:
    """A suspected code for missing values, with the evidence.

    Attributes
    ----------
    code : str
        As a reading option takes it, see :class:`engine.files.ReadOptions`.
    count : int
        Records that have it.
    reason : Message
    applied : bool
        Whether it is read as missing already, because nothing else can be meant.
    certain : bool
        Whether the values leave no doubt: it comes again and again, far outside all
        others.
    may_be_top : bool
        Whether it may as well be the last amount, which stands for all that is more,
        as 99 hours a week beside 80 and 98.
    """

    code: str
    count: int
    reason: Message
    applied: bool = False
    certain: bool = False
    may_be_top: bool = False


def find_missing_codes_by_column(
    table: Table,
) -> dict[str, tuple[MissingCodeEvidence, ...]]:
    """Return codes that may stand for missing values, by column.

    Returns
    -------
    dict of str to tuple of MissingCodeEvidence
        Columns without any are left out, and those of which somebody has said what
        their missing values are.
    """
    codes_by_column = {}
    missing_options = table.origin.options.get("missing", {})
    words: Mapping[str, Mapping[str, int]] = table.origin.options.get("words", {})
    labels = dict(table.origin.options.get("value_labels", {}))
    for name in table.schema.names:
        if name in missing_options:
            continue
        column = table.frame[name]
        values, unsaid = _labelled_values(labels.get(name, ()))
        codes = [
            MissingCodeEvidence(
                word, count, Message("A word among numbers or dates."), True
            )
            for word, count in words.get(name, {}).items()
        ]
        if not codes and not unsaid and not _may_have_codes(column):
            continue
        counts = column.dropna().value_counts()
        if pd.api.types.is_bool_dtype(column.dtype) or not len(counts):
            pass
        elif pd.api.types.is_numeric_dtype(column.dtype):
            codes += _numeric_codes(counts, _is_day_number_name(name))
        elif pd.api.types.is_datetime64_any_dtype(column.dtype):
            codes += _date_codes(counts)
        else:
            codes += _text_codes(counts)
        texts = Counter[str]()
        for value, count in counts.items() if unsaid else ():
            texts[leaf_text_of(value)] += int(count)
        # Where each value has a label, "don't know" is one of the answers.
        if texts.keys() - values - {*unsaid}:
            reason = Message("The file's own label says so.")
            codes = [evidence for evidence in codes if evidence.code not in unsaid]
            codes += [
                MissingCodeEvidence(code, texts[code], reason, certain=True)
                for code in unsaid
                if texts[code]
            ]
        remainder = tuple(evidence for evidence in codes if evidence.code not in values)
        if remainder:
            codes_by_column[name] = remainder
    return codes_by_column


def _labelled_values(
    value_labels: Iterable[tuple[Any, Any]],
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return codes that the file's labels call values, and those that say nothing."""
    labels = [
        (leaf_text_of(value), str(label).strip()) for value, label in value_labels
    ]
    return (
        frozenset(code for code, label in labels if not _says_missing(label)),
        tuple(
            code
            for code, label in labels
            if label.lower() in MISSING_WORDS_LOWER - _NEGATION_WORDS
            or _UNSAID_LABEL.fullmatch(label.lower())
        ),
    )


def _says_missing(label: str) -> bool:
    words = {*re.findall(r"\w+", label.lower())}
    return label.strip().lower() in MISSING_WORDS_LOWER or bool(words & _UNSAID_WORDS)


def _may_have_codes(column: pd.Series) -> bool:
    """Return whether it is worth while to count the values of a column.

    Of numbers, codes are below zero or above all others; words are known, or stand
    among numbers.
    """
    if pd.api.types.is_numeric_dtype(column.dtype):
        if column.isna().all():
            return False
        return bool(column.min() < 0 or is_repeated_nine(float(column.max()), "9876"))
    if not isinstance(column.dtype, pd.StringDtype):
        return True
    texts = [text.strip() for text in pd.unique(column).tolist() if type(text) is str]
    return any(text.lower() in MISSING_WORDS_LOWER for text in texts) or any(
        _NUMBER_PATTERN.match(text) for text in texts[:_HEAD_TEXTS]
    )


def _is_day_number_name(name: str) -> bool:
    """Return whether a name is of days counted from one, before which some may be."""
    words = normalised_words(name)
    return not _DAY_WORDS.isdisjoint(words) or any(
        _STUDY_DAY.fullmatch(word) for word in words
    )


def _numeric_codes(
    counts: pd.Series, may_be_days: bool
) -> Iterator[MissingCodeEvidence]:
    values = counts.index.to_numpy(dtype=np.float64)
    order = np.argsort(values)
    values, times = values[order], counts.to_numpy()[order]
    code_mask = np.zeros(values.size, dtype=np.bool_)
    n_below = count_far_codes(-values[::-1], times[::-1])
    code_mask[:n_below] = True
    n_above = count_far_codes(values[n_below:], times[n_below:])
    code_mask[values.size - n_above :] = True
    for at in np.flatnonzero(code_mask).tolist():
        yield _code(values[at], times[at], Message("It is far from all others."), True)
    rest = np.flatnonzero(~code_mask)
    for at in rest[list(low_code_places(values[rest]))].tolist():
        certain = values[at] < -1 or (
            values.size > MIN_SCALE_VALUES
            and times[at] >= max(3, _MIN_SHARE * times.sum())
        )
        certain = bool(certain and times[at] >= MIN_RECORDS)
        certain = certain and not (may_be_days and values[at] > -_MIN_DAY_CODE)
        reason = Message("All other values are 0 or more.")
        yield _code(values[at], times[at], reason, certain)
        code_mask[at] = True
    rest = np.flatnonzero(~code_mask)
    places, stand_apart = high_code_places(values[rest], times[rest])
    for j in places:
        reason = Message(
            "It is made of one digit and stands apart from all other values."
        )
        if not stand_apart:
            reason = Message(
                "It is made of one digit and the last of all values: it may stand for "
                "all that is more, too."
            )
        evidence = _code(values[rest[j]], times[rest[j]], reason, False)
        yield replace(evidence, may_be_top=not stand_apart)


def _code(
    value: float, count: int, reason: Message, certain: bool
) -> MissingCodeEvidence:
    return MissingCodeEvidence(
        leaf_text_of(float(value)), int(count), reason, False, certain
    )


def _date_codes(counts: pd.Series) -> Iterator[MissingCodeEvidence]:
    for moment, count in counts.items():
        text = leaf_text_of(moment)
        if text in _LAST_DAYS and count > 1:
            reason = Message("Nobody means this very day.")
            certain = text in _LAST_DAYS[:_N_FUTURE_DAYS]
            yield MissingCodeEvidence(text, int(count), reason, certain=certain)


def _text_codes(counts: pd.Series) -> Iterator[MissingCodeEvidence]:
    texts = counts.index.astype(str).str.strip()
    numbers = sum(bool(_NUMBER_PATTERN.match(text)) for text in texts[:_HEAD_TEXTS])
    among = 2 * numbers > min(len(texts), _HEAD_TEXTS)
    others = (
        [text for text in texts if not _NUMBER_PATTERN.match(text)] if among else []
    )
    for text, count in zip(texts, counts, strict=True):
        if text.lower() in MISSING_WORDS_LOWER:
            if not among and _one_of_them(text, int(count), texts, counts):
                continue
            reason = Message("It is a word or a sign for a missing value.")
            yield MissingCodeEvidence(text, int(count), reason)
        elif text in others and len(others) <= MAX_DISTINCT_CODES and count > 1:
            if _have_leading_zeros(texts):
                return  # a code among codes, as bb beside 01
            reason = Message("It comes again and again among numbers or dates.")
            # Among few numbers a word may be a level, such as "some" or "more".
            certain = len(others) == 1 and len(texts) > 2 * MAX_SCALE_STEPS
            yield MissingCodeEvidence(text, int(count), reason, certain=certain)


def _have_leading_zeros(texts: Iterable[str]) -> bool:
    """Return whether some texts are digits after a zero, as no number is written."""
    return any(map(_LEADING_ZERO.fullmatch, texts))


def _one_of_them(
    text: str, count: int, texts: pd.Index[str], counts: pd.Series
) -> bool:
    """Return whether a word is more likely a category like the others of its column.

    A code of letters among codes as long as it, such as NA among countries; a sign
    among signs, or of a test; a cross that ticks a box, or stands for a third sex;
    "none" where it is as usual as what else there is.
    """
    word = text.lower()
    others = [other for other in texts if other.lower() not in MISSING_WORDS_LOWER]
    if word == "x":
        return True
    if set(word) <= {"+", "-"} and others and set("".join(others)) <= {"+", "-"}:
        return True
    alike = [other for other in others if _shape(other) == _shape(text)]
    if _shape(text) and len(alike) > 1 and 5 * len(alike) >= 4 * len(others):
        return True
    times = [n for other, n in zip(texts, counts, strict=True) if other in others]
    return word in _NEGATION_WORDS and bool(times) and count >= float(np.median(times))


def _shape(text: str) -> str | None:
    """Return what short codes of one list have in common; None of a longer word."""
    if len(text) > _MAX_CODE_LETTERS:
        return None
    return "".join("A" if c.isupper() else "a" if c.isalpha() else "." for c in text)


def near_certain_missing_codes_by_column(
    table: Table,
) -> dict[str, tuple[MissingCodeEvidence, ...]]:
    """Return codes, not applied yet, taken for certain to be missing values, by column.

    Values far outside all others; codes that stand apart in several columns; codes of
    which the column's label says so.
    """
    suspected = find_missing_codes_by_column(table)
    labels = column_labels(table.origin)
    columns = Counter(
        evidence.code
        for codes in suspected.values()
        for evidence in codes
        if len(evidence.code.lstrip("-")) > 1 and not evidence.may_be_top
    )
    certain_codes = {
        name: tuple(
            evidence
            for evidence in codes
            if not evidence.applied
            and (
                evidence.certain
                or (
                    columns[evidence.code] > 1
                    and is_number_text(evidence.code)
                    and not evidence.may_be_top
                )
                or _is_labelled_missing(evidence.code, labels.get(name, ""))
            )
        )
        for name, codes in suspected.items()
    }
    return {name: codes for name, codes in certain_codes.items() if codes}


def is_number_text(code: str) -> bool:
    """Return whether a code is a number, such as -9, rather than a word."""
    return _NUMBER_PATTERN.match(code) is not None


def _is_labelled_missing(code: str, label: str) -> bool:
    """Return whether a label says that a code is missing, as in "-9 = refused"."""
    meanings = re.findall(rf"(?<![\d.-]){re.escape(code)}\s*[=:]?\s*([^,;()]+)", label)
    return any(
        text.strip().lower() in MISSING_WORDS_LOWER
        or {*text.lower().split()} & {"missing", "unknown", "refused"}
        for text in meanings
    )


def apply_missing_codes(
    table: Table, codes_by_column: Mapping[str, Sequence[MissingCodeEvidence]]
) -> Table:
    """Return a table in which values equal to a code are missing.

    A column of text that holds numbers without them is of numbers, unless it holds
    codes with leading zeros. What the columns mean stays as it was said.
    """
    if not codes_by_column:
        return table
    texts = {name: [one.code for one in some] for name, some in codes_by_column.items()}
    frame = replace_codes_by_missing(table.frame, texts)
    numbers = {
        name: pd.to_numeric(frame[name], errors="coerce")
        for name in texts
        if isinstance(frame[name].dtype, pd.StringDtype)
        and not _have_leading_zeros(frame[name].dropna())
    }
    for name, column in numbers.items():
        if column.isna().sum() == frame[name].isna().sum():
            whole = bool((column.dropna() % 1 == 0).all())
            frame[name] = column.astype("Int64" if whole else "float64")
    options = dict(table.origin.options)
    options["missing"] = {**options.get("missing", {}), **texts}
    origin = replace(table.origin, options=options)
    return Table.from_frame(frame, table.schema, origin, table.carried)


def replace_codes_by_missing(
    frame: pd.DataFrame, codes_by_column: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Return a frame in which values equal to a code are missing.

    Parameters
    ----------
    codes_by_column : mapping of str to sequence of str
        Of columns of the frame.
    """
    columns = {}
    for name, some in codes_by_column.items():
        column = frame[name]
        matches = {
            value for value in column.dropna().unique() if leaf_text_of(value) in some
        }
        gone = column.isin(list(matches))
        if gone.any() and pd.api.types.is_integer_dtype(column.dtype):
            column = column.astype("Int64")
        columns[name] = column.mask(gone)
    return frame.assign(**columns)
