"""What tests of translated pages share: whose language it is, and what is left over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from dashboard.i18n import catalogue, language

_RUN = re.compile(r"[A-Za-z][A-Za-z'’-]+(?:[,:;]? [A-Za-z][A-Za-z'’-]+)+")
_CODE = re.compile(
    r"<[^>]*>|`+[^`]*`+|:material/\w+:|:[a-z]+\[|\]\([^)]*\)|https?://\S+"
)
_QUOTED = re.compile(r"'[^']*'")


@contextmanager
def in_chinese() -> Iterator[None]:
    """Have every lookup find Chinese, outside of any page."""
    before = language._current
    language.follow(lambda: "zh")
    try:
        yield
    finally:
        language.follow(before)


def english_in(text: str, names: tuple[str, ...] = ()) -> list[str]:
    """Return the runs of two English words or more, outside code, quotes and names."""
    text = _left_in_english().sub("…", text)
    if not _RUN.search(text):
        return []
    # Names first: there are quotes and signs of code in some of them.
    text = _any_of(names).sub("…", text)
    return _RUN.findall(_QUOTED.sub("…", _CODE.sub("…", text)))


@cache
def _left_in_english() -> re.Pattern[str]:
    """Match texts that nobody has translated yet, which only releases must have."""
    texts = catalogue.untranslated(catalogue.translated("zh"))
    patterns = [
        ".*?".join(map(re.escape, re.split(r"\{[^{}]*\}", text))) for text in texts
    ]
    return re.compile("|".join(patterns) or "(?!)")


@cache
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(f"(?<![A-Za-z])(?:{words or '(?!)'})(?![A-Za-z])")
