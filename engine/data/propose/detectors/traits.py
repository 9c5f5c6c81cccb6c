"""Detectors of sexes, countries, postcodes, coordinates and dates by values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pandas as pd

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import LIKELY, ColumnView, Finding
from engine.data.propose.detectors.remaining_columns import infer_kind_with_message
from engine.data.propose.detectors.words import is_subject_name
from engine.data.propose.names import split_into_word_set

_SEX_WORDS = (
    "m f",
    "m w",
    "male female",
    "man woman",
    "men women",
    "mannlich weiblich",
    "männlich weiblich",
    "mann frau",
    "herr frau",
    "h f",
    "homme femme",
    "masculin féminin",
    "hombre mujer",
    "h m",
    "masculino femenino",
    "maschio femmina",
    "uomo donna",
    "masculino feminino",
    "homem mulher",
    "m v",
    "man vrouw",
    "mężczyzna kobieta",
    "k m",
    "男 女",
    "男性 女性",
    "м ж",
    "мужской женский",
    "férfi nő",
    "erkek kadın",
    "muž žena",
    "mand kvinde",
    "man kvinna",
)
_OTHER_SEX_WORDS = split_into_word_set(
    """
    d x o u other divers andere unknown n/a diverse nb
    """
)

COUNTRY_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "zh")
"""Languages in which countries are known."""

POSTCODE_PATTERN = (
    r"[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
    r"|\d{2}-\d{3}|\d{4}-\d{3}|\d{5}-\d{3}|\d{3} \d{2}|\d{5}-\d{4}|[A-Z]{1,2}-\d{4,5}"
)


POSITION_PATTERN = (
    r"(point ?)?\(?-?\d{1,3}\.\d{3,}°?[NS]?[,; ]+-?\d{1,3}\.\d{3,}°?[EWO]?\)?"
)


MIN_COUNTED_CODES = 20
"""Codes from which numbers with few gaps count on, and are no postcodes."""

MIN_COUNTED_EACH = 5
"""Codes with the same beginning, on average, at least, where each has its own count."""

MAX_COUNTED_SPAN = 1.25
"""Numbers from the first to the last, per code, at most, where they count on."""


def detect_sexes_and_countries(column: ColumnView) -> Finding | None:
    """Return a finding if a column holds words for sexes or countries."""
    values = column.values
    if not values.words or values.n_distinct < 2:
        return None
    texts = {text.casefold() for text in values.sampled_texts}
    for pair in _SEX_WORDS:
        if {*pair.split()} <= texts <= {*pair.split()} | _OTHER_SEX_WORDS:
            return _trait_finding("sex", Message("a visible trait of a person"))
    if values.n_distinct >= 3 and len(texts & _country_names()) >= 0.9 * len(texts):
        return _trait_finding("place", Message("countries"))
    return None


def detect_postcodes(column: ColumnView) -> Finding | None:
    """Return a finding if values look like postcodes, by a pattern or leading zeros."""
    values = column.values
    if not values.words or values.n_distinct < 5 or is_subject_name(column.name):
        return None
    digits = values.matching_share(r"\d{5}|\d{4}|\d{6}") > 0.95 and any(
        text.startswith("0") for text in values.sampled_texts
    )
    if not digits and values.matching_share(POSTCODE_PATTERN) < 0.95:
        return None
    if _are_counted_on(pd.unique(values.all).tolist()):
        return None  # numbers of subjects, such as S-0001 and 02-014
    return _trait_finding("postcode", Message("postcodes"))


def _are_counted_on(codes: Sequence[str]) -> bool:
    """Return whether numbers at the ends of many codes leave few gaps; postcodes do."""
    numbers: dict[str, list[int]] = {}
    for code in codes:
        before = code.rstrip("0123456789")
        if before == code:
            return False
        numbers.setdefault(before, []).append(int(code[len(before) :]))
    spans = sum(max(each) - min(each) + 1 for each in numbers.values())
    all_numbers = {number for each in numbers.values() for number in each}
    if len(all_numbers) == len(codes):  # one count, whatever stands before it
        spans = min(spans, max(all_numbers) - min(all_numbers) + 1)
    elif len(codes) < MIN_COUNTED_EACH * len(numbers):
        return False
    return len(codes) >= MIN_COUNTED_CODES and spans <= MAX_COUNTED_SPAN * len(codes)


def detect_coordinates(column: ColumnView) -> Finding | None:
    """Return a finding if nearly all cells hold a latitude and a longitude together."""
    values = column.values
    if not values.words or values.matching_share(POSITION_PATTERN) < 0.9:
        return None
    return _trait_finding("coordinate", Message("positions on the map"))


def detect_dates(column: ColumnView) -> Finding | None:
    """Return a finding if a column holds dates, also as text or numbers."""
    values = column.values
    if not values.is_dated or (values.numeric and not _are_day_numbers(column)):
        return None
    kind, holds = infer_kind_with_message(values)
    reason = Message(
        "Whoever knows when something happened to somebody could recognise them by it."
    )
    return Finding(Role.QUASI_IDENTIFIER, (holds, reason), LIKELY, kind, "event")


def _are_day_numbers(view: ColumnView) -> bool:
    """Whether whole numbers are days such as 20251231."""
    numbers = view.values.numbers
    if numbers.min() < 18500101:
        return False
    months, days = numbers // 100 % 100, numbers % 100
    good = (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)
    return bool(good.all())


def _trait_finding(about: str, description: Message) -> Finding:
    reason = Message(
        "By its values it holds {what}, by which somebody could be recognised.",
        what=description,
    )
    return Finding(Role.QUASI_IDENTIFIER, (reason,), LIKELY, Kind.NOMINAL, about)


@cache
def _country_names() -> frozenset[str]:
    from babel import Locale

    names: set[str] = set()
    for language in COUNTRY_LANGUAGES:
        for code, name in Locale(language).territories.items():
            if len(code) == 2:
                names |= {name.casefold(), code.casefold()}
    return frozenset(names - {"m", "f"})
