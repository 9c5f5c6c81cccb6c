"""Words and signs for missing values in several languages, and cells split by them."""

from __future__ import annotations

from collections.abc import Sequence

MISSING_WORDS = (
    "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", ".", "\\N",
)  # fmt: skip
"""Words for a missing number; in a column of text they stay what they are."""

MISSING_PHRASES = (
    "k.A.", "k. A.", "k.A", "k. A", "kA", "keine Angabe", "keine Angaben", "n.a.",
    "n. a.", "N.A.", "#NV", "#N/D", "#NULL!", "#WERT!", "#VALUE!", "#DIV/0!", "#REF!",
    "b.d.", "brak danych", "s/d", "sin dato", "sin datos", "s.d.", "n.d.", "n/d",
    "n.b.", "n.v.t.", "geen antwoord", "no answer", "no data", "not available",
    "not applicable", "non renseigné", "non disponibile", "sem dados", "n.r.",
    "无", "未知", "缺失",
)  # fmt: skip
"""Phrases for a missing value among numbers or dates, in a handful of languages."""

POSSIBLE_MISSING_WORDS = (
    "-", "--", "---", "–", "—", "?", "??", "/", "..", "...", "unknown", "unbekannt",
    "missing", "fehlt", "refused", "onbekend", "inconnu", "desconocido", "weiß nicht",
    "don't know", "Unknown", "Unbekannt", "Missing",
)  # fmt: skip
"""Signs and words for a missing value where most other cells are numbers or dates."""


def split_values_and_missing_words(cells: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return two lists: cells that are values, and cells that are words for missing."""
    missing_words = {*MISSING_WORDS, *MISSING_PHRASES, *POSSIBLE_MISSING_WORDS}
    words = [c for c in cells if c in missing_words]
    return [c for c in cells if c not in missing_words], words
