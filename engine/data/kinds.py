"""Roles and kinds of columns."""

from __future__ import annotations

from enum import StrEnum

from engine.core.message import Message


class Role(StrEnum):
    """What a column is to somebody who wants to find a person in the table."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    CONFIDENTIAL = "confidential"
    WEIGHT = "weight"
    OTHER = "other"


class Kind(StrEnum):
    """How a column's values relate to each other."""

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


def words_for(kind: Kind) -> Message:
    """Return a kind as a word in a sentence."""
    return {
        Kind.CONTINUOUS: Message("continuous"),
        Kind.ORDINAL: Message("ordinal"),
        Kind.NOMINAL: Message("nominal"),
    }[kind]
