"""Roles and kinds of columns."""

from __future__ import annotations

from enum import StrEnum


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
