"""What tests of translated pages share: whose language it is, and what is left over."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache

from dashboard.i18n import catalogue, language

_RUN = re.compile(r"[A-Za-z][A-Za-z'’-]+(?:[,:;]? [A-Za-z][A-Za-z'’-]+)+")
_CODE = re.compile(
    r"<[^>]*>|`+[^`]*`+|:material/\w+:|:[a-z]+\[|\]\([^)]*\)|https?://\S+"
)
_QUOTED = re.compile(r"'[^']*'")


def in_chinese() -> AbstractContextManager[None]:
    """Have every lookup find Chinese, outside of any page."""
    return in_language("zh")


@contextmanager
def in_language(name: str) -> Iterator[None]:
    """Have every lookup find a language, outside of any page."""
    before = language._current
    language.set_language_source(lambda: name)
    try:
        yield
    finally:
        language.set_language_source(before)


def english_in(text: str, names: tuple[str, ...] = ()) -> list[str]:
    """Return the runs of two English words or more, outside code, quotes and names."""
    text = _left_in_english().sub("…", text)
    if not _RUN.search(text):
        return []
    # Names first: there are quotes and signs of code in some of them.
    text = _any_of(names).sub("…", text)
    return _RUN.findall(_QUOTED.sub("…", _CODE.sub("…", text)))


def english_texts_in(text: str, code: str) -> list[str]:
    """Return what a text has of the English texts that a language translates."""
    return _translated_pieces(code).findall(text)


@cache
def _translated_pieces(code: str) -> re.Pattern[str]:
    """Match parts of three words or more that no translation of a language has."""
    catalogued = catalogue.read_catalogue(code)
    forms = [
        (english, str(message.string))
        for message in catalogued
        if message.id and message.string
        for english in (message.id if isinstance(message.id, tuple) else [message.id])
    ]
    translations = "\n".join(translation for _english, translation in forms)
    pieces = {
        piece.strip()
        for english, _translation in forms
        for piece in re.split(r"\{[^{}]*\}|[*`\n:]+", english)
        if len(piece.split()) >= 3
    }
    untranslated_pieces = {piece for piece in pieces if piece not in translations}
    longest_first = sorted(untranslated_pieces, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


@cache
def _left_in_english() -> re.Pattern[str]:
    """Match texts that nobody has translated yet, which only releases must have."""
    texts = catalogue.list_untranslated_texts(catalogue.read_catalogue("zh"))
    patterns = [
        ".*?".join(map(re.escape, re.split(r"\{[^{}]*\}", text))) for text in texts
    ]
    return re.compile("|".join(patterns) or "(?!)")


@cache
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(f"(?<![A-Za-z])(?:{words or '(?!)'})(?![A-Za-z])")
