"""Detector of columns of free text."""

from __future__ import annotations

import re

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose.base import LIKELY, ColumnView, Finding
from engine.data.propose.values import MAX_SCALE_STEPS

MIN_WORDS, MIN_CHARS, MIN_HAN_CHARS = 4, 45, 12
"""Means from which texts are free text: words, characters, or Chinese characters."""

_HAN_PATTERN = re.compile(r"[\u4e00-\u9fff]")


def detect_free_text(column: ColumnView) -> Finding | None:
    """Return a finding if values seem to be free text, by their words and length."""
    values = column.values
    if (
        not values.words
        or values.n_distinct <= MAX_SCALE_STEPS
        or values.distinct_share_of_rest < 0.2
    ):
        return None
    texts = values.sampled_texts
    words = sum(len(text.split()) for text in texts) / len(texts)
    signs = sum(map(len, texts)) / len(texts)
    han = sum(len(_HAN_PATTERN.findall(text)) for text in texts) / len(texts)
    spoken = sum(text.count(" ") > 0 and text != text.title() for text in texts)
    sentences = words >= MIN_WORDS and spoken > 0.5 * len(texts) and signs > 20
    if not (sentences or (signs >= MIN_CHARS and words > 2) or han >= MIN_HAN_CHARS):
        return None
    reason = Message("It holds texts of several words, in which anything may stand.")
    return Finding(Role.IDENTIFIER, (reason,), LIKELY, Kind.NOMINAL, "free-text")
