"""Detector of names of people by a dictionary and by their form.

The names of some seventy countries are those of Faker's (MIT licence).
"""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import (
    CERTAIN,
    LIKELY,
    UNSURE,
    ColumnView,
    Finding,
    true_share,
)
from engine.data.propose.names import normalised_words, split_into_word_set

NAME_TITLES = split_into_word_set(
    """
    dr prof mr mrs ms miss mx sir herr frau hr fr dipl ing mag mme mlle monsieur
    madame mademoiselle m sr sra srta don dona doctor doctora sig signora signor
    dott dottssa dottoressa ing avv senhor senhora drs ir mevr mevrouw dhr de
    heer pan pani lek mgr inz hab med phd md rn esq jr phil rer nat
    """
)
_NAME_PARTICLES = split_into_word_set(
    """
    von van de der den dos das da do del della di du la le el al bin ibn ter ten
    zu zur zum y e und and af av mac mc o d l st
    """
)
_TITLED_PATTERN = re.compile(
    r"(dr|prof|mr|mrs|ms|herr|frau|hr|mme|mlle|monsieur|madame|sr|sra|sig|dott|dhr|mevr|"
    r"pan|pani|lek|dra|drs|dott\.ssa|avv)\.? \S+.*|"
    r".*[^\W\d_](医生|医师|先生|女士|老师|主任)",
    re.IGNORECASE,
)
_NAME_PATTERN = re.compile(
    r"[^\W\d_][^\W\d_.'’-]*\.?([ ,'’.-]+[^\W\d_][^\W\d_.'’-]*\.?){0,5}"
)
_HAN_NAME_PATTERN = re.compile(r"[\u4e00-\u9fff]{2,4}")

SHORT_CODE_PATTERN = r"[A-Z]{2,3}"
"""Codes of countries and the like, some of which are names as well."""

MIN_CODES = 8
"""Different texts of two or three letters from which they are no names."""

MIN_KNOWN_TEXTS = 4
"""Different texts, of few, that could be names, so that it is no accident."""

SURE, KNOWN, SOME = 0.8, 0.5, 0.25
"""Shares of different texts that look like names: surely; likely; perhaps."""

MIN_DISTINCT_WORDS = 12
"""Different single words from which they are names and no classes named like people."""

MIN_DISTINCT_TEXTS = 4
"""Different texts from which a dictionary has a say."""

CLASSES = 40
"""Different texts up to which they may be classes whose words are names as well."""

_NO_NAMES = split_into_word_set(
    """
    north south east west northern southern eastern western northeast northwest
    southeast southwest central middle upper lower inner outer new old mountain pacific
    atlantic asia africa europe america americas oceania england scotland wales ireland
    france germany spain italy poland china japan india russia green black white brown
    gray grey red blue yellow orange purple pink violet silver gold golden amber rose
    hazel blond blonde best worst good fair poor excellent great very some many few
    much none not all a lot other others actor actress april may june july august
    january february march september october november december jan feb mar apr jun
    jul aug sep sept oct nov dec mon tue wed thu fri sat sun summer winter spring
    autumn high low medium small large big long short young rich strong weak free early
    late day night sunday monday tuesday wednesday thursday friday saturday home away
    regular special standard normal basic premium cross bishop king queen prince major
    general baker cook farmer smith carpenter taylor potter mason hunter fisher page
    student worker manager driver sales office service services clay sand stone forest
    wood woods hill hills lake river bay beach park street city town village county
    church temple school house field fields grant price cash case rice bean beans corn
    wheat barley rye oats hay apple cherry berry olive ginger basil sage pepper lemon
    cotton silk wolf fox lamb bull crow swan hawk drake dove robin fish bass pike
    miss control treatment placebo male female man woman boy girl north-east single
    """
)
"""Words of everyday classes, which are names of people as well."""

_PLACE_ENDS = split_into_word_set(
    """
    park field stadium grounds arena dome coliseum ballpark gardens raceway speedway
    station airport harbour harbor bridge museum library theatre theater hotel
    hospital clinic university college school academy church cathedral castle
    stadion halle bahnhof flughafen brucke theater krankenhaus klinik kirche schule
    stade gare aeroport pont musee hopital eglise estadio estacion aeropuerto puente
    stadio stazione ponte ospedale
    """
)
"""Last words of what is called after people: ball parks, schools and stations."""

_PLACE_SURNAMES = split_into_word_set(
    "park field bridge castle church halle kirche schule pont ponte puente stadion"
)
"""Those of them that are family names as well, as in Linda Park."""


_ENCLOSING_CHARS = "\"'`´“”„«»‘’‚()[]{}<>*_ "
"""Quotes and brackets around a name, which are no part of it."""


def detect_people_names(column: ColumnView) -> Finding | None:
    """Return a finding if a column holds, or may hold, names of people."""
    values = column.values
    if not values.words or values.matching_share(SHORT_CODE_PATTERN) > 0.95:
        return None
    if values.n_distinct >= MIN_CODES and values.matching_share("[A-Za-z]{2,3}") == 1.0:
        return None  # abbreviations: names are not all as short
    texts = [text.strip(_ENCLOSING_CHARS) for text in values.sampled_texts]
    titled = true_share([_TITLED_PATTERN.fullmatch(text) is not None for text in texts])
    if titled > KNOWN:
        reason = Message("Most of its values are names with a title.")
        return Finding(Role.IDENTIFIER, (reason,), CERTAIN, Kind.NOMINAL, "full-name")
    if true_share([_may_be_a_name(text) for text in texts]) < 0.6:
        return None
    name_share = true_share([is_person_name(text) for text in texts])
    full = true_share([len(text.split()) > 1 for text in texts])
    if 2 < values.n_distinct <= CLASSES and values.distinct_share < 0.2:
        # Classes have words that are names as well: of people, both ends are such.
        name_share = true_share([_first_and_last(text) for text in texts])
    varied = (
        values.distinct_share > 0.2
        or values.n_distinct >= MIN_DISTINCT_WORDS
        or column.first_hint("some-name")
    )
    if values.n_distinct < MIN_DISTINCT_TEXTS and not name_share * full > 0.7:
        return None
    if column.first_hint("place") and name_share <= SURE:
        return None  # places are called like people
    if name_share >= (KNOWN if full > 0.5 else 0.6) and (full > 0.5 or varied):
        reason = Message(
            "{share:.0f} % of its different values are names of people or made of "
            "such.",
            share=100.0 * name_share,
        )
        sure = CERTAIN if name_share > SURE and full > 0.5 else LIKELY
        return Finding(Role.IDENTIFIER, (reason,), sure, Kind.NOMINAL, "full-name")
    if column.hints:
        return None  # its name says what it is
    if name_share >= SOME and name_share * len(texts) >= MIN_KNOWN_TEXTS:
        reason = Message(
            "{share:.0f} % of its different values could be names of people.",
            share=100.0 * name_share,
        )
        return Finding(
            Role.UNDECIDED, (reason,), UNSURE, Kind.NOMINAL, "full-name", bool(varied)
        )
    return None


def _first_and_last(text: str) -> bool:
    """Return whether a text has a given and a family name, or is one, and no class."""
    words = [
        word
        for word in normalised_words(text)
        if word not in NAME_TITLES | _NAME_PARTICLES
    ]
    if not words or not _NO_NAMES.isdisjoint(words) or _is_place(words):
        return (
            bool(words)
            and len(words) > 1
            and _TITLED_PATTERN.fullmatch(text) is not None
        )
    if len(words) == 1:
        return is_person_name(text)
    given_names, family = load_given_and_family_names()
    first, last = words[0], words[-1]
    return (first in given_names and (last in family or last in given_names)) or (
        first in family and last in given_names
    )


def _is_place(words: list[str]) -> bool:
    """Return whether a name's words end like a place's, and are not a person's two."""
    given_names, _family = load_given_and_family_names()
    may_be_person = len(words) == 2 and words[0] in given_names
    return words[-1] in _PLACE_ENDS and not (
        may_be_person and words[-1] in _PLACE_SURNAMES
    )


def _may_be_a_name(text: str) -> bool:
    return len(text) <= 60 and _NAME_PATTERN.fullmatch(text) is not None


def is_person_name(text: str) -> bool:
    """Return whether a text seems to be a person's name, by the names in it.

    Of Chinese names the first sign, or the first two, are the family name.
    """
    given_names, family = load_given_and_family_names()
    if _HAN_NAME_PATTERN.fullmatch(text):
        return (text[0] in family or text[:2] in family) and len(text) <= 4
    words = [
        word
        for word in normalised_words(text)
        if word not in NAME_TITLES | _NAME_PARTICLES and len(word) > 1
    ]
    if not words or len(words) > 5 or (len(words) > 1 and _is_place(words)):
        return False
    n_known = sum(word in given_names or word in family for word in words)
    if _NO_NAMES.issuperset(words):
        return False
    if len(words) > 1 and text == text.lower():  # a phrase may have a name in it
        return n_known == len(words)
    return n_known * 2 >= len(words) and (len(words) == 1 or n_known > 0)


@cache
def load_given_and_family_names() -> tuple[frozenset[str], frozenset[str]]:
    """Return sets of given and family names, in lower case without accents."""
    import faker.providers.person as people_of

    given_names: set[str] = set()
    family: set[str] = set()
    for module in pkgutil.iter_modules(people_of.__path__):
        provider = import_module(f"{people_of.__name__}.{module.name}").Provider
        for attribute in dir(provider):
            into = given_names if "first_name" in attribute else family
            names = getattr(provider, attribute)
            if "name" in attribute and isinstance(names, tuple | list | dict):
                into.update(map(str, names))
    return _normalise_names(given_names), _normalise_names(family)


def _normalise_names(names: set[str]) -> frozenset[str]:
    return frozenset(normalised_words("\n".join(names)))
