"""Patterns of sentences into which the engine puts values."""

from __future__ import annotations

PATTERNS: tuple[str, ...] = (
    "Every record shares its values with at least {count} others",
    "Groups are {words}",
)
