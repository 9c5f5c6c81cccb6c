"""What Help shows of the manual: sections in pieces, links inside it, and search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from dashboard.manual import Chapter, Section, chapters
from dashboard.manual.chapters import FOLDER

CHAPTER, AT = "chapter", "at"
"""Names of the address's parameters; the second is the anchor of a heading."""

BEFORE, AFTER = 60, 140
"""Letters of an excerpt before and after the first word that was found."""

_CODE_OR_LINK = re.compile(
    r"`[^`]*`|\[([^\]]+)\]\((?!https://)(?:([\w-]+)\.md)?(?:#([\w-]+))?\)"
)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([\w-]+\.png)\)")
_APART = re.compile(
    rf"{_PICTURE.pattern}|^```\w*\n(.*?)\n```$", re.DOTALL | re.MULTILINE
)
_LINKED = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(?<!\w)\*(\S[^*]*)\*(?!\w)")
_MARKS = re.compile(r"^```\w*$|^\|[ |-]*\|$|\*\*|`|^\* |^\| ?| ?\|$", re.MULTILINE)


@dataclass(frozen=True)
class Picture:
    """A picture of the manual; `alt` is read out to people who do not see it."""

    path: Path
    alt: str


@dataclass(frozen=True)
class Code:
    """Lines to type, or of a file."""

    text: str


@dataclass(frozen=True)
class Place:
    """A heading at which something was found.

    Attributes
    ----------
    chapter : Chapter
    section : Section
    excerpt : tuple of str
        What stands around the first word that was found; every second part is a
        word that was asked for.
    """

    chapter: Chapter
    section: Section
    excerpt: tuple[str, ...]

    @property
    def title(self) -> str:
        """The chapter, and the heading in it."""
        if not self.section.anchor:
            return self.chapter.title
        return f"{self.chapter.title} › {readable(self.section.title)}"


def link(label: str, chapter: str, anchor: str = "") -> str:
    """Return a link to a chapter, or to a heading in it, in Markdown."""
    asked = {CHAPTER: chapter} | ({AT: anchor} if anchor else {})
    return f"[{label}](?{urlencode(asked)})"


def pieces(chapter: Chapter, section: Section) -> list[str | Code | Picture]:
    """Return what stands below a heading: Markdown, with code and pictures between.

    Links to other chapters become addresses of this page.
    """
    found: list[str | Code | Picture] = []
    text = section.text
    start = 0
    for one in _APART.finditer(text):
        found.append(_linked(chapter, text[start : one.start()]))
        if one[3] is None:
            found.append(Picture(FOLDER / one[2], " ".join(one[1].split())))
        else:
            found.append(Code(one[3]))
        start = one.end()
    found.append(_linked(chapter, text[start:]))
    return [one for one in found if one != ""]


def _linked(chapter: Chapter, text: str) -> str:
    def within(found: re.Match[str]) -> str:
        if found[1] is None:  # in code brackets are brackets
            return found[0]
        return link(found[1], found[2] or chapter.id, found[3] or "")

    return _CODE_OR_LINK.sub(within, text).strip()


def find(wanted: str) -> list[Place]:
    """Return every heading that has all words in its title or text.

    Words may be given by their beginnings. Headings that have more of them come first;
    otherwise the order is the manual's own.
    """
    words = [_beginning(word) for word in wanted.split()]
    if not words:
        return []
    found = []
    for chapter in chapters().values():
        for section in chapter.sections:
            heading = readable(section.title)
            title = f"{chapter.title} {heading}"
            text = readable(section.text)
            if all(word.search(f"{title} {text}") for word in words):
                here = sum(bool(word.search(heading)) for word in words)
                place = Place(chapter, section, excerpt(text, words))
                found.append((-here, place))
    found.sort(key=lambda one: one[0])
    return [place for _rank, place in found]


def _beginning(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}", re.IGNORECASE)


def readable(text: str) -> str:
    """Return Markdown as it reads, in one line.

    Examples
    --------
    >>> readable("| `--k K` | see [Rules](rules.md), **always** |")
    '--k K · see Rules, always'
    """
    text = _LINKED.sub(r"\1", _PICTURE.sub("", text))
    text = _EMPHASIS.sub(r"\1", _MARKS.sub("", text))
    text = re.sub(r" ?(?<!\\)\| ?", " · ", text).replace("\\|", "|")
    return " ".join(text.split())


def excerpt(text: str, words: list[re.Pattern[str]]) -> tuple[str, ...]:
    """Return what stands around the first word, cut where words are."""
    first = min(
        (hit.start() for word in words if (hit := word.search(text))), default=0
    )
    start, end = max(0, first - BEFORE), first + AFTER
    if start:
        start = text.find(" ", start) + 1
    if end < len(text):
        end = text.rfind(" ", first, end) if " " in text[first:end] else end
    around = "…" * (start > 0) + text[start:end].strip() + "…" * (end < len(text))
    any_word = re.compile(
        f"({'|'.join(word.pattern for word in words)})", re.IGNORECASE
    )
    return tuple(any_word.split(around))
