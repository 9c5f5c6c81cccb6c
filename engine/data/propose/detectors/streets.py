"""Detector of street addresses with house numbers."""

from __future__ import annotations

import re

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, ColumnView, Finding
from engine.data.propose.names import normalised_words, split_into_word_set

STREET_WORDS = split_into_word_set(
    """
    street st road rd lane ln avenue ave drive dr court ct close crescent square sq
    terrace way boulevard blvd highway hwy flat apt
    strasse str weg platz allee gasse ring ufer markt damm chaussee steig
    rue place chemin quai impasse cours route allees bd av
    calle avenida avda plaza paseo camino ronda carrer travesia
    via viale piazza corso largo vicolo strada
    rua travessa praca estrada alameda beco
    straat laan plein kade gracht dijk singel hof
    ul ulica al aleja pl plac os osiedle
    """
)
"""Words for streets in the languages of column names, without accents."""

STREET_ENDS = ("strasse", "str", "weg", "platz", "allee", "gasse", "ring", "ufer",
    "damm", "straat", "laan", "plein", "kade", "gracht", "dijk", "singel")  # fmt: skip
"""Ends of longer words for streets."""

_CHINESE_ADDRESS = re.compile(
    r".*[\u8def\u8857\u5df7\u9053\u6751\u5f04].*\d+.*[\u53f7\u5ba4\u680b].*"
)
"""Street, lane or village, then a number and what it counts."""

N_FIRST_TEXTS = 12
"""Texts of which at least one is an address, or the others are not looked at."""

MIN_ADDRESS_SHARE = 0.7
"""Share of the values from which they are addresses."""


def detect_streets(column: ColumnView) -> Finding | None:
    """Return a finding if at least 70 % of different texts look like street addresses.

    Few that come again and again are sorts of something, as four-wheel drive is.
    """
    values = column.values
    if not values.words or values.is_dated or not values.has_many_distinct:
        return None
    texts = values.sampled_texts
    if not any(map(is_street_address, texts[:N_FIRST_TEXTS])):
        return None
    if sum(map(is_street_address, texts)) < MIN_ADDRESS_SHARE * len(texts):
        return None
    reason = Message("It holds {what}.", what=Message("streets and numbers of houses"))
    return Finding(Role.IDENTIFIER, (reason,), CERTAIN, Kind.NOMINAL, "address")


def is_street_address(text: str) -> bool:
    """Return whether a text seems to have a street's name and a house number."""
    if _CHINESE_ADDRESS.fullmatch(text):
        return True
    if not any(map(str.isdigit, text)):
        return False
    words = normalised_words(text)
    if not 1 < len(words) <= 12:
        return False
    return any(
        word in STREET_WORDS or (len(word) > 5 and word.endswith(STREET_ENDS))
        for word in words
    ) and any(len(word) > 2 and not word[0].isdigit() for word in words)
