"""What could be recognised, known by its values: sexes, countries, postcodes, dates."""

from __future__ import annotations

from functools import cache

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import LIKELY, Finding, Seen
from engine.data.propose.detectors.unknown import kind_of
from engine.data.propose.names import word_set

_SEXES = (
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
_OTHERS = word_set(
    """
    d x o u other divers andere unknown n/a diverse nb
    """
)

COUNTRIES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "zh")
"""Languages in which countries are known."""

POSTCODES = (
    r"[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
    r"|\d{2}-\d{3}|\d{4}-\d{3}|\d{5}-\d{3}|\d{3} \d{2}|\d{5}-\d{4}|[A-Z]{1,2}-\d{4,5}"
)


POSITION = r"(point ?)?\(?-?\d{1,3}\.\d{3,}°?[NS]?[,; ]+-?\d{1,3}\.\d{3,}°?[EWO]?\)?"


def classes(seen: Seen) -> Finding | None:
    """Find sexes and countries by their words."""
    values = seen.values
    if not values.words or values.distinct < 2:
        return None
    texts = {text.casefold() for text in values.texts}
    for pair in _SEXES:
        if {*pair.split()} <= texts <= {*pair.split()} | _OTHERS:
            return _recognised("sex", Message("a visible trait of a person"))
    if values.distinct >= 3 and len(texts & _countries()) >= 0.9 * len(texts):
        return _recognised("place", Message("countries"))
    return None


def postcodes(seen: Seen) -> Finding | None:
    """Find postcodes by shapes that nothing else has."""
    values = seen.values
    if not values.words or values.distinct < 5:
        return None
    digits = values.share_of(r"\d{5}|\d{4}|\d{6}") > 0.95 and any(
        text.startswith("0") for text in values.texts
    )
    if not digits and values.share_of(POSTCODES) < 0.95:
        return None
    return _recognised("postcode", Message("postcodes"))


def positions(seen: Seen) -> Finding | None:
    """Find latitude and longitude in one text."""
    values = seen.values
    if not values.words or values.share_of(POSITION) < 0.9:
        return None
    return _recognised("coordinate", Message("positions on the map"))


def dates(seen: Seen) -> Finding | None:
    """Find dates, also as text."""
    values = seen.values
    if not values.dated or (values.numeric and not _days(seen)):
        return None
    kind, holds = kind_of(values)
    said = Message(
        "Whoever knows when something happened to somebody could recognise them by it."
    )
    return Finding(Role.QUASI_IDENTIFIER, (holds, said), LIKELY, kind, "event")


def _days(seen: Seen) -> bool:
    """Whether whole numbers are days such as 20251231."""
    numbers = seen.values.numbers
    if numbers.min() < 18500101:
        return False
    months, days = numbers // 100 % 100, numbers % 100
    good = (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)
    return bool(good.all())


def _recognised(about: str, what: Message) -> Finding:
    said = Message(
        "By its values it holds {what}, by which somebody could be recognised.",
        what=what,
    )
    return Finding(Role.QUASI_IDENTIFIER, (said,), LIKELY, Kind.NOMINAL, about)


@cache
def _countries() -> frozenset[str]:
    from babel import Locale

    found: set[str] = set()
    for language in COUNTRIES:
        for code, name in Locale(language).territories.items():
            if len(code) == 2:
                found |= {name.casefold(), code.casefold()}
    return frozenset(found - {"m", "f"})
