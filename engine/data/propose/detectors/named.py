"""Detectors of columns by their names or labels, unless the values contradict."""

from __future__ import annotations

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, UNSURE, ColumnView, Finding
from engine.data.propose.concepts import IDENTITY_CONCEPTS
from engine.data.propose.detectors.remaining_columns import infer_kind_with_message
from engine.data.propose.detectors.words import (
    COUNTED,
    COUNTED_ENDS,
    MEASURE_WORDS,
    SORT_WORDS,
    SUBJECT_WORDS,
    has_numbering_word,
    is_count_name,
)
from engine.data.propose.names import Hint, split_into_word_set

_IDENTITY_IDS = frozenset(concept.id for concept in IDENTITY_CONCEPTS)

MAX_HOUSEHOLD_MEMBERS = 30
"""People in a household, at most."""

MIN_HOUSEHOLDS = 40
"""Different numbers from which they say which household it is, not of what sort."""

MIN_NAMED_RECORDS = 20
"""Records from which it is no accident that all words differ."""

CONCEPTS_OF_OTHER_NUMBERS = split_into_word_set(
    """
    place postcode coordinate trade occupation origin sex legal-form
    means family age birth pay money score health-measure
    """
)
"""Concepts whose numbers are codes of their own, or measure or count: no records'."""


EXTENT_WORDS = split_into_word_set("area flaeche surface superficie land lot activity")
"""Words for a place or an occupation, and for how large or how much it is."""

MIN_EXTENT_SHARE = 0.2
"""Different numbers, as a share of the records, from which they are extents."""

MAX_CODES, MIN_RECORDS_PER_CODE = 40, 20
"""Codes of letters up to which they are levels of many records each, on average."""

MAX_PLACE_SHARE = 0.1
"""Different values, as a share of the records, up to which they are places of many."""

WHOSE_NAME_CONCEPTS = split_into_word_set(
    "given-name family-name full-name other-person firm-name"
)
"""Concepts of names of people and firms, which are many unless they are classes."""

MAX_CLASSES = 4
"""Different words up to which they are sorts of people and no names."""


def detect_named_identity(column: ColumnView) -> Finding | None:
    """Return a finding if a column's name or label tells who or where somebody is."""
    values, words = column.values, set(column.words)
    hint = next((one for one in column.hints if one.concept.id in _IDENTITY_IDS), None)
    if hint is None:
        return None
    if values.numeric and (
        words & MEASURE_WORDS or not _numbers_fit_hint(column, hint)
    ):
        return None
    of_place = hint.concept.id == "address" and column.first_hint("place")
    if (words & SORT_WORDS or of_place) and not values.has_many_distinct:
        return None
    if of_place and values.distinct_share <= MAX_PLACE_SHARE:
        return None  # the state or city of an address
    if (
        hint.concept.id in WHOSE_NAME_CONCEPTS
        and values.n_distinct <= MAX_CLASSES
        and not values.has_many_distinct
    ):
        return None  # of what sort they are; detect_people_names sees names
    return _identifier_finding(hint, CERTAIN)


def _numbers_fit_hint(view: ColumnView, hint: Hint) -> bool:
    """Return whether numbers can be what the name tells of, and no count or amount."""
    if hint.concept.id == "address":  # numbers of houses
        return view.values.is_integer
    return view.values.is_no_count or (
        hint.concept.id in ("national-number", "firm-number", "device")
        and view.values.is_integer
        and view.values.distinct_share > 0.5
    )


def detect_other_named_columns(column: ColumnView) -> Finding | None:
    """Return a finding by any other concept of a name, or for numbers of records."""
    for hint in column.hints:
        if (
            hint.concept.id == "birth"
            and not column.values.is_dated
            and column.first_hint("place")
        ):
            continue  # where, not when
        counted = (
            None
            if hint.concept.id in CONCEPTS_OF_OTHER_NUMBERS and not _is_key(column)
            else _detect_record_number(column)
        )
        if hint.concept.codes and column.values.distinct_share < 0.95:
            counted = None
        if hint.concept.id == "family" and not _are_small_counts(column):
            counted = _detect_record_number(column) or _detect_household_number(column)
        finding = counted or _finding_from_hint(column, hint)
        if finding is not None:
            return finding
    return _detect_record_number(column)


def _is_key(view: ColumnView) -> bool:
    """Return whether a name numbers what it tells of, as ``loan_id``, and none repeats.

    Amounts that only happen to differ have no word for numbers in their names.
    """
    values = view.values
    return (
        values.is_unique
        and values.n >= MIN_NAMED_RECORDS
        and has_numbering_word(view.words)
    )


def _are_small_counts(view: ColumnView) -> bool:
    """Return whether numbers are as small as those of children in a household."""
    values = view.values
    return not values.numeric or values.numbers.max() <= MAX_HOUSEHOLD_MEMBERS


def _detect_household_number(view: ColumnView) -> Finding | None:
    """Find numbers of households, of which each has several records."""
    if not view.values.is_no_fraction:
        return None
    if not (has_numbering_word(view.words) or _as_many_as_live_together(view)):
        return None
    reason = Message("By its name and values it says which household it is.")
    return Finding(Role.IDENTIFIER, (reason,), LIKELY, Kind.NOMINAL, "record-number")


def _as_many_as_live_together(view: ColumnView) -> bool:
    """Return whether a column that is called a household has many, of few records."""
    values = view.values
    called = len(view.words) == 1 and view.words[0] in SUBJECT_WORDS
    if not called or values.n_distinct < MIN_HOUSEHOLDS:
        return False
    return int(values.all.value_counts().max()) <= MAX_HOUSEHOLD_MEMBERS


def _finding_from_hint(view: ColumnView, hint: Hint) -> Finding | None:
    concept, values = hint.concept, view.values
    texts = {"word": hint.word, "what": concept.says}
    if concept.id in _IDENTITY_IDS:
        return None  # refused before
    if concept.id == "record-number":
        if _are_letter_codes(view, hint):
            return None  # leagues, and no numbers of records
        if values.distinct_share < 0.5 and {*view.words} & MEASURE_WORDS:
            return None
        return _identifier_finding(
            hint, CERTAIN if values.distinct_share > 0.5 else LIKELY
        )
    if concept.id == "some-name":
        return _detect_unspecific_name(view, hint)
    if concept.id == "coordinate" and not (values.numeric or values.words):
        return None
    kind, holds = infer_kind_with_message(values)
    if concept.kind is not None:
        kind = concept.kind
    elif (
        concept.codes and (values.words or values.has_few_distinct or values.boolean)
    ) or (concept.codes and values.is_integer and concept.id != "family"):
        kind = Kind.NOMINAL
    if concept.codes and (
        _is_called_measure(view)
        or ((concept.kind is None or _is_called_extent(view)) and _measures(view))
    ):
        kind, holds = infer_kind_with_message(values)
    if concept.role is Role.CONFIDENTIAL:
        reason = Message(
            "Its name ({word}) tells of {what}, which nobody should learn.", **texts
        )
        return Finding(concept.role, (reason,), LIKELY, kind, concept.id)
    if concept.role is Role.QUASI_IDENTIFIER and _each_its_own(view, kind):
        reason = Message(
            "Its name ({word}) tells of {what}, and every record has another: there "
            "is nothing to share.",
            **texts,
        )
        return Finding(Role.IDENTIFIER, (reason,), LIKELY, kind, concept.id)
    if concept.role is Role.OTHER:
        reason = Message("Its name ({word}) tells {what}, the same for many.", **texts)
        return Finding(concept.role, (reason,), LIKELY, kind, concept.id)
    reason = Message(
        "Its name ({word}) tells of {what}, by which somebody could be recognised.",
        **texts,
    )
    return Finding(concept.role, (reason, holds), LIKELY, kind, concept.id)


def _are_letter_codes(view: ColumnView, hint: Hint) -> bool:
    """Return whether few codes of letters are the identifiers of sorts, as ``lgID``."""
    values = view.values
    return (
        hint.word.casefold() in ("id", "ids")
        and len(view.words) > 1
        and not {*view.words} & SUBJECT_WORDS
        and values.words
        and values.n_distinct <= MAX_CODES
        and values.n >= MIN_RECORDS_PER_CODE * values.n_distinct
        and values.matching_share(r"[A-Za-z]{1,4}\d?") == 1.0
    )


def _is_called_measure(view: ColumnView) -> bool:
    """Return whether a name of numbers means a measure or a count, as ``cp_days``."""
    if not view.values.numeric or not view.values.n:
        return False
    return bool({*view.words} & MEASURE_WORDS) or is_count_name(view.words)


def _is_called_extent(view: ColumnView) -> bool:
    """Return whether a name may mean an extent, and no code such as ``area_code``."""
    return bool({*view.words} & EXTENT_WORDS) and not has_numbering_word(view.words)


def _measures(view: ColumnView) -> bool:
    """Return whether numbers say how much, whatever their column is called else."""
    values = view.values
    if not values.numeric or values.boolean or not values.n:
        return False
    if _is_called_measure(view):
        return True
    if any(word.endswith(COUNTED_ENDS) for word in view.words):
        return True
    if view.words[-1] in COUNTED and values.has_many_distinct:
        return True  # the income of a county
    is_extent = _is_called_extent(view)
    min_share = MIN_EXTENT_SHARE if is_extent else 0.5
    if not values.is_integer or values.distinct_share <= min_share:
        return False
    lengths = {len(text.lstrip("-")) for text in values.sampled_texts}
    return len(lengths) > 2 or (is_extent and len(lengths) > 1)


def _each_its_own(view: ColumnView, kind: Kind) -> bool:
    """Return whether words name single records: a group has no common one."""
    values = view.values
    return (
        kind is Kind.NOMINAL
        and values.is_unique
        and values.n >= MIN_NAMED_RECORDS
        and values.matching_share(r".*[^\W\d_]{2}.*") > 0.9
    )


def _detect_unspecific_name(view: ColumnView, hint: Hint) -> Finding | None:
    """Judge a column called a name: whose it is, the other words may tell."""
    values = view.values
    is_of_person = len(view.words) == 1 or {*view.words} & SUBJECT_WORDS
    if is_of_person or values.distinct_share > 0.5:
        return _identifier_finding(hint, LIKELY)
    reason = Message(
        "Its name ({word}) tells of names, but not whose they are.", word=hint.word
    )
    return Finding(Role.UNDECIDED, (reason,), UNSURE, Kind.NOMINAL, "some-name", True)


def _detect_record_number(view: ColumnView) -> Finding | None:
    """Find numbers of records by a word such as "no", where most values differ."""
    values, words = view.values, view.words
    subject = len(words) == 1 and words[0] in SUBJECT_WORDS
    numbering = has_numbering_word(words)
    if not (subject or numbering) or values.dates or not values.is_no_flag:
        return None
    both = {*words} & SUBJECT_WORDS and numbering
    if (
        not values.is_no_fraction
        or not values.has_many_distinct
        or {*words} & MEASURE_WORDS
    ):
        return None
    if values.distinct_share < (0.02 if both else 0.5):
        return None
    if values.numeric and not both and values.distinct_share < 0.95:
        return None
    reason = Message("By its name and values it is a number given to each record.")
    sure = CERTAIN if values.is_unique else LIKELY
    return Finding(Role.IDENTIFIER, (reason,), sure, Kind.NOMINAL, "record-number")


def _identifier_finding(hint: Hint, sure: float) -> Finding:
    reason = Message(
        "Its name ({word}) tells of {what}.", word=hint.word, what=hint.concept.says
    )
    return Finding(Role.IDENTIFIER, (reason,), sure, Kind.NOMINAL, hint.concept.id)
