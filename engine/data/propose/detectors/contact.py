"""Detectors of contact details, user names and random codes by their form."""

from __future__ import annotations

import re

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import CERTAIN, LIKELY, ColumnView, Finding
from engine.data.propose.concepts.numbers import NUMBER_CONCEPTS, RECORD_NUMBER_CONCEPTS
from engine.data.propose.detectors.words import is_subject_name
from engine.data.propose.values import MAX_TEXT_CHARS

_ADDRESS_PATTERN = r"[^@\s,;]+@[^@\s,;]+\.[A-Za-z]{2,}"

CONTACT_PATTERNS = (
    ("e-mail", Message("e-mail addresses"), _ADDRESS_PATTERN),
    (
        "web-address",
        Message("web addresses"),
        r"(https?://|www\.)\S+|[\w.-]+\.(com|org|net|de|fr|it|es|nl|pl|pt|eu|cn|uk)(/\S*)?",
    ),
    ("device", Message("network addresses"), r"\d{1,3}(\.\d{1,3}){3}(:\d+|/\d+)?"),
    (
        "device",
        Message("network addresses"),
        r"([0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}|([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    ),
    (
        "record-number",
        Message("random codes given to each record"),
        r"\{?[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?"
        r"|(?=.*\d)(?=.*[a-fA-F])([0-9a-fA-F]{16}|[0-9a-fA-F]{24}|[0-9a-fA-F]{32,})",
    ),
    ("user-name", Message("user names"), r"@[A-Za-z0-9_.]{2,}"),
    (
        "telephone",
        Message("telephone numbers"),
        r"(\+|00)\d[\d ()/.-]{6,}|0\d{1,5}[ /().-]\s?\d[\d /().-]{4,}"
        r"|\(\d{2,5}\) ?\d[\d .-]{5,}|\d{3}[-. ]\d{3}[-. ]\d{4}( ?(x|ext\.?) ?\d+)?"
        r"|\d{2}([ .]\d{2}){4}|[679]\d{2} \d{3} \d{3}|1[3-9]\d{9}",
    ),
)
"""Concept, what the values are in words, and the regular expression of a value."""

_NUMBER_IDS = frozenset(one.id for one in (*NUMBER_CONCEPTS, *RECORD_NUMBER_CONCEPTS))

MIN_ADDRESS_CHARS = 4
"""Signs of the shortest address."""

_MENTION_PATTERN = re.compile(
    rf"{_ADDRESS_PATTERN}|(\+|\b00)[1-9][\d ()/.-]{{8,}}\d|https?://\S+"
    r"|\b[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}"
)
QUICK_MENTION_PATTERN = (
    r"@[\w-]+\.|https?://|(?:\+|00)[1-9][0-9 ()/.-]{8,}"
    r"|[A-Z]{2}[0-9]{2} ?[A-Z0-9]{4} ?[A-Z0-9]{4}"
)
"""Addresses, telephone numbers and IBANs inside a text, for a quick look at all."""


def detect_contact_details(column: ColumnView) -> Finding | None:
    """Return a finding if most values are contacts, user names or random codes."""
    if not column.values.words or column.values.is_dated:
        return None
    if (
        column.values.has_few_distinct
        and max(map(len, column.values.sampled_texts), default=0) < MIN_ADDRESS_CHARS
    ):
        return None
    for about, what, pattern in CONTACT_PATTERNS:
        if about == "telephone" and is_named_as_identifying_number(column):
            continue
        if not any(
            map(re.compile(pattern).fullmatch, column.values.sampled_texts[:40])
        ):
            continue
        if column.values.matching_share(pattern) > 0.6:
            reason = Message("It holds {what}.", what=what)
            return Finding(Role.IDENTIFIER, (reason,), CERTAIN, Kind.NOMINAL, about)
    return None


def is_named_as_identifying_number(column: ColumnView) -> bool:
    """Return whether a name or label means an identifying number and no telephone."""
    concept_ids = {hint.concept.id for hint in column.hints}
    return bool(concept_ids & _NUMBER_IDS or is_subject_name(column.name)) and (
        "telephone" not in concept_ids
    )


def detect_contacts_in_text(column: ColumnView) -> Finding | None:
    """Return a finding if some texts contain an address, telephone number or IBAN."""
    values = column.values
    if not values.words:
        return None
    if (
        values.has_all_texts_sampled
        and max(map(len, values.sampled_texts), default=0) < MAX_TEXT_CHARS
    ):
        has_mention = any(map(_MENTION_PATTERN.search, values.sampled_texts))
    else:
        every = values.all.astype("str")
        marked = every[every.str.contains(QUICK_MENTION_PATTERN, regex=True)].iloc[:200]
        # Of long texts, which say more anyway, the quick look is enough.
        has_mention = any(
            len(one) >= MAX_TEXT_CHARS or _MENTION_PATTERN.search(one) for one in marked
        )
    if not has_mention:
        return None
    reason = Message("Addresses or telephone numbers stand in some of its values.")
    return Finding(Role.IDENTIFIER, (reason,), LIKELY, Kind.NOMINAL, "free-text")
