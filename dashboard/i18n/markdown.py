"""Names that people or files give, shown letter by letter where Markdown is read."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_\[\]$~<>]|:(?=\w))")


def plain(text: str) -> str:
    """Return a text as Markdown that shows it letter by letter."""
    return _SPECIAL.sub(r"\\\1", text)
