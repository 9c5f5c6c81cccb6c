"""Roles and kinds of columns, and policies for missing values."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from engine.core.message import Message


class Role(StrEnum):
    """Role: identifier, quasi-identifier, confidential, weight, other or undecided.

    A run removes undecided columns, and releases "other" columns unchanged.
    """

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    CONFIDENTIAL = "confidential"
    WEIGHT = "weight"
    OTHER = "other"
    UNDECIDED = "undecided"


class Kind(StrEnum):
    """Kind of a column's values: continuous, ordinal or nominal."""

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


def kind_in_words(kind: Kind) -> Message:
    """Return a kind as a message of one word for use in a sentence."""
    return {
        Kind.CONTINUOUS: Message("continuous"),
        Kind.ORDINAL: Message("ordinal"),
        Kind.NOMINAL: Message("nominal"),
    }[kind]


MissingPolicy = Literal["refuse", "drop", "median", "mode", "keep", "keep-or-fill"]
"""What to do with a missing quasi-identifier.

``refuse`` is an error, ``drop`` leaves the record out of the release, ``median`` and
``mode`` fill the column's value in (categories always take the mode), and ``keep``
leaves the cell missing: such a record is grouped only with records that lack the same.
``keep-or-fill`` keeps gaps that at least k records share and fills the few others with
the median, of ranks the lower one.
"""
