"""What tests of translated pages share: whose language it is, and what is left over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from dashboard import language

_RUN = re.compile(r"[A-Za-z][A-Za-z'’-]+(?:[,:;]? [A-Za-z][A-Za-z'’-]+)+")
_CODE = re.compile(r"`+[^`]*`+|:material/\w+:|:[a-z]+\[|\]\([^)]*\)|https?://\S+")
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


def english_in(text: str, names: Iterable[str] = ()) -> list[str]:
    """Return the runs of two English words or more, outside code, quotes and names."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "…")
    return _RUN.findall(_QUOTED.sub("…", _CODE.sub("…", text)))
