"""What a column's name tells, where its values do not contradict."""

from __future__ import annotations

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, UNSURE, Finding, Seen
from engine.data.propose.concepts import IDENTITY
from engine.data.propose.detectors.unknown import kind_of
from engine.data.propose.detectors.words import (
    MEASURES,
    SORTS,
    SUBJECTS,
    counts_something,
    numbers_something,
)
from engine.data.propose.names import Hint, word_set

_IDENTITY = frozenset(concept.id for concept in IDENTITY)

MOST_MEMBERS = 30
"""People in a household, at most."""

LEAST_HOUSEHOLDS = 40
"""Different numbers from which they say which household it is, and of what sort."""

LEAST_NAMED = 20
"""Records from which it is no accident that all words differ."""

UNNUMBERED = word_set(
    """
    place postcode coordinate trade occupation origin sex legal-form
    means family age birth pay money score health-measure
    """
)
"""Concepts that have codes of their own, or numbers that measure or count."""


PEOPLES = word_set("given-name family-name full-name other-person firm-name")
"""Concepts of names, which are many unless they are classes."""

MAX_CLASSES = 4
"""Different words up to which they are sorts of people and no names."""


def named_identity(seen: Seen) -> Finding | None:
    """Find columns whose names tell who somebody is, or how to reach them."""
    values, words = seen.values, set(seen.words)
    hint = next((one for one in seen.hints if one.concept.id in _IDENTITY), None)
    if hint is None:
        return None
    if values.numeric and (words & MEASURES or not _numbers_fit(seen, hint)):
        return None
    if words & SORTS and not values.many:
        return None
    if (
        hint.concept.id in PEOPLES
        and values.distinct <= MAX_CLASSES
        and not values.many
    ):
        return None  # of what sort they are; whose names they are, people() sees
    return _identifier(hint, CERTAIN)


def _numbers_fit(seen: Seen, hint: Hint) -> bool:
    """Return whether numbers can be what the name tells of, and no count or amount."""
    if hint.concept.id == "address":  # numbers of houses
        return seen.values.whole
    return seen.values.no_count or (
        hint.concept.id in ("national-number", "firm-number", "device")
        and seen.values.whole
        and seen.values.share > 0.5
    )


def named(seen: Seen) -> Finding | None:
    """Find what the name tells of else: what is confidential or could be recognised."""
    for hint in seen.hints:
        if hint.concept.id == "birth" and not seen.values.dated and seen.hint("place"):
            continue  # where, not when
        counted = None if hint.concept.id in UNNUMBERED else _numbered(seen)
        if hint.concept.codes and seen.values.share < 0.95:
            counted = None
        if hint.concept.id == "family" and not _counts_few(seen):
            counted = _numbered(seen) or _which_household(seen)
        found = counted or _told(seen, hint)
        if found is not None:
            return found
    return _numbered(seen)


def _counts_few(seen: Seen) -> bool:
    """Return whether numbers are as small as those of children in a household."""
    values = seen.values
    return not values.numeric or values.numbers.max() <= MOST_MEMBERS


def _which_household(seen: Seen) -> Finding | None:
    """Find numbers of households, of which each has several records."""
    if not seen.values.no_fraction:
        return None
    if not (numbers_something(seen.words) or _as_many_as_live_together(seen)):
        return None
    said = Message("By its name and values it says which household it is.")
    return Finding(Role.IDENTIFIER, (said,), LIKELY, Kind.NOMINAL, "record-number")


def _as_many_as_live_together(seen: Seen) -> bool:
    """Return whether a column that is called a household has many, of few records."""
    values = seen.values
    if len(seen.words) != 1 or values.distinct < LEAST_HOUSEHOLDS:
        return False
    return int(values.all.value_counts().max()) <= MOST_MEMBERS


def _told(seen: Seen, hint: Hint) -> Finding | None:
    concept, values = hint.concept, seen.values
    told = {"word": hint.word, "what": concept.says}
    if concept.id in _IDENTITY:
        return None  # refused before
    if concept.id == "record-number":
        if values.share < 0.5 and {*seen.words} & MEASURES:
            return None
        return _identifier(hint, CERTAIN if values.share > 0.5 else LIKELY)
    if concept.id == "some-name":
        return _some_name(seen, hint)
    if concept.id == "coordinate" and not (values.numeric or values.words):
        return None
    kind, holds = kind_of(values)
    if concept.kind is not None:
        kind = concept.kind
    elif (concept.codes and (values.words or values.few or values.boolean)) or (
        concept.codes and values.whole and concept.id != "family"
    ):
        kind = Kind.NOMINAL
    if concept.codes and concept.kind is None and _measures(seen):
        kind, holds = kind_of(values)
    if concept.role is Role.CONFIDENTIAL:
        said = Message(
            "Its name ({word}) tells of {what}, which nobody should learn.", **told
        )
        return Finding(concept.role, (said,), LIKELY, kind, concept.id)
    if concept.role is Role.QUASI_IDENTIFIER and _each_its_own(seen, kind):
        said = Message(
            "Its name ({word}) tells of {what}, and every record has another: there "
            "is nothing to share.",
            **told,
        )
        return Finding(Role.IDENTIFIER, (said,), LIKELY, kind, concept.id)
    if concept.role is Role.OTHER:
        said = Message("Its name ({word}) tells {what}, the same for many.", **told)
        return Finding(concept.role, (said,), LIKELY, kind, concept.id)
    said = Message(
        "Its name ({word}) tells of {what}, by which somebody could be recognised.",
        **told,
    )
    return Finding(concept.role, (said, holds), LIKELY, kind, concept.id)


def _measures(seen: Seen) -> bool:
    """Return whether numbers say how much, whatever their column is called else."""
    values = seen.values
    if not values.numeric or values.boolean or not values.n:
        return False
    if {*seen.words} & MEASURES or counts_something(seen.words):
        return True
    lengths = {len(text.lstrip("-")) for text in values.texts}
    return values.whole and values.share > 0.5 and len(lengths) > 3


def _each_its_own(seen: Seen, kind: Kind) -> bool:
    """Return whether words name single records: a group has no common one."""
    values = seen.values
    return (
        kind is Kind.NOMINAL
        and values.all_different
        and values.n >= LEAST_NAMED
        and values.share_of(r".*[^\W\d_]{2}.*") > 0.9
    )


def _some_name(seen: Seen, hint: Hint) -> Finding | None:
    """Judge a column called a name: whose it is, the other words may tell."""
    values = seen.values
    alone = len(seen.words) == 1 or {*seen.words} & SUBJECTS
    if alone or values.share > 0.5:
        return _identifier(hint, LIKELY)
    said = Message(
        "Its name ({word}) tells of names, but not whose they are.", word=hint.word
    )
    return Finding(Role.UNDECIDED, (said,), UNSURE, Kind.NOMINAL, "some-name", True)


def _numbered(seen: Seen) -> Finding | None:
    """Find numbers of records by a word such as "no", where most values differ."""
    values, words = seen.values, seen.words
    subject = len(words) == 1 and words[0] in SUBJECTS
    numbering = numbers_something(words)
    if not (subject or numbering) or values.dates or not values.no_flag:
        return None
    both = {*words} & SUBJECTS and numbering
    if not values.no_fraction or not values.many or {*words} & MEASURES:
        return None
    if values.share < (0.02 if both else 0.5):
        return None
    if values.numeric and not both and values.share < 0.95:
        return None
    said = Message("By its name and values it is a number given to each record.")
    sure = CERTAIN if values.all_different else LIKELY
    return Finding(Role.IDENTIFIER, (said,), sure, Kind.NOMINAL, "record-number")


def _identifier(hint: Hint, sure: float) -> Finding:
    said = Message(
        "Its name ({word}) tells of {what}.", word=hint.word, what=hint.concept.says
    )
    return Finding(Role.IDENTIFIER, (said,), sure, Kind.NOMINAL, hint.concept.id)
