"""The manual for display: sections, links and search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from dashboard.manual import ManualChapter, ManualSection, read_manual_chapters
from dashboard.manual.chapters import AT, CHAPTER, ENGLISH, MANUAL_FOLDER

BEFORE, AFTER = 60, 140
"""Letters of an excerpt before and after the first word that was found."""

_CHINESE = "[\u2e80-\u9fff]"

_CODE_OR_LINK = re.compile(
    r"`[^`]*`|\[([^\]]+)\]\((?!https://)(?:([\w-]+)\.md)?(?:#([\w-]+))?\)"
)
_PICTURE_PATTERN = re.compile(r"!\[([^\]]*)\]\(([\w-]+\.png)\)")
_SPECIAL_PATTERN = re.compile(
    rf"{_PICTURE_PATTERN.pattern}|^```\w*\n(.*?)\n```$", re.DOTALL | re.MULTILINE
)
_LINK_PATTERN = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_EMPHASIS_PATTERN = re.compile(r"(?<!\w)\*(\S[^*]*)\*(?!\w)")
_MARKS_PATTERN = re.compile(
    r"^```\w*$|^\|[ |-]*\|$|\*\*|`|^\* |^\| ?| ?\|$", re.MULTILINE
)


@dataclass(frozen=True)
class ManualPicture:
    """A picture of the manual, with the text read out to those who do not see it."""

    path: Path
    alt: str


@dataclass(frozen=True)
class CodeBlock:
    """A block of code in the manual."""

    text: str


@dataclass(frozen=True)
class SearchHit:
    """A heading of the manual that a search found, with an excerpt.

    Attributes
    ----------
    chapter : ManualChapter
    section : ManualSection
    excerpt : tuple of str
        What stands around the first word that was found; every second part is a
        word that was asked for.
    """

    chapter: ManualChapter
    section: ManualSection
    excerpt: tuple[str, ...]

    @property
    def display_title(self) -> str:
        """The chapter, and the heading in it."""
        if not self.section.anchor:
            return self.chapter.title
        return f"{self.chapter.title} › {markdown_to_plain_text(self.section.title)}"


def chapter_markdown_link(label: str, chapter: str, anchor: str = "") -> str:
    """Return a link to a chapter, or to a heading in it, in Markdown."""
    asked = {CHAPTER: chapter} | ({AT: anchor} if anchor else {})
    return f"[{label}](?{urlencode(asked)})"


def split_text_code_and_pictures(
    chapter: ManualChapter, section: ManualSection
) -> list[str | CodeBlock | ManualPicture]:
    """Return a section's text as Markdown, code blocks and pictures, in order.

    Links to other chapters become addresses of this page.
    """
    found: list[str | CodeBlock | ManualPicture] = []
    text = section.text
    start = 0
    for one in _SPECIAL_PATTERN.finditer(text):
        found.append(_rewrite_links(chapter, text[start : one.start()]))
        if one[3] is None:
            found.append(
                ManualPicture(MANUAL_FOLDER / one[2], " ".join(one[1].split()))
            )
        else:
            found.append(CodeBlock(one[3]))
        start = one.end()
    found.append(_rewrite_links(chapter, text[start:]))
    return [one for one in found if one != ""]


def _rewrite_links(chapter: ManualChapter, text: str) -> str:
    def within(match: re.Match[str]) -> str:
        if match[1] is None:  # in code brackets are brackets
            return match[0]
        return chapter_markdown_link(match[1], match[2] or chapter.id, match[3] or "")

    return _CODE_OR_LINK.sub(within, text).strip()


def search_manual(query: str, language: str = ENGLISH) -> list[SearchHit]:
    """Return a hit for every heading that has all words in its title or text.

    Words may be given by their beginnings. Headings that have more of them come first;
    otherwise the order is the manual's own.

    Parameters
    ----------
    query : str
    language : str
        Chapters are searched in it where they are translated, otherwise in English.
    """
    words = [_word_start_pattern(word) for word in query.split()]
    if not words:
        return []
    found = []
    for chapter, section, heading, text in _list_searchable_sections(language):
        whole = f"{chapter.title} {heading} {text}"
        if all(word.search(whole) for word in words):
            here = sum(bool(word.search(heading)) for word in words)
            place = SearchHit(chapter, section, excerpt_around(text, words))
            found.append((-here, place))
    found.sort(key=lambda one: one[0])
    return [place for _rank, place in found]


@cache
def _list_searchable_sections(
    language: str,
) -> tuple[tuple[ManualChapter, ManualSection, str, str], ...]:
    """Return every section of the manual with its title and text without marks."""
    return tuple(
        (
            chapter,
            section,
            markdown_to_plain_text(section.title),
            markdown_to_plain_text(section.text),
        )
        for chapter in read_manual_chapters(language).values()
        for section in chapter.sections
    )


def _word_start_pattern(word: str) -> re.Pattern[str]:
    # Chinese has no blanks between words: there a word begins after any character.
    before = "" if re.match(_CHINESE, word) else rf"(?<![^\W{_CHINESE[1:]})"
    return re.compile(before + re.escape(word), re.IGNORECASE)


def markdown_to_plain_text(markdown: str) -> str:
    """Return Markdown as it reads without its marks, in one line.

    Examples
    --------
    >>> markdown_to_plain_text("| `--k K` | see [Rules](rules.md), **always** |")
    '--k K · see Rules, always'
    """
    markdown = _LINK_PATTERN.sub(r"\1", _PICTURE_PATTERN.sub("", markdown))
    markdown = _EMPHASIS_PATTERN.sub(r"\1", _MARKS_PATTERN.sub("", markdown))
    markdown = re.sub(r" ?(?<!\\)\| ?", " · ", markdown).replace("\\|", "|")
    return " ".join(markdown.split())


def excerpt_around(text: str, patterns: list[re.Pattern[str]]) -> tuple[str, ...]:
    """Return the text around the first match, cut at the matches."""
    first = min(
        (hit.start() for word in patterns if (hit := word.search(text))), default=0
    )
    start, end = max(0, first - BEFORE), first + AFTER
    if start and " " in text[start:first]:
        start = text.find(" ", start) + 1
    if end < len(text):
        end = text.rfind(" ", first, end) if " " in text[first:end] else end
    around = "…" * (start > 0) + text[start:end].strip() + "…" * (end < len(text))
    any_word = re.compile(
        f"({'|'.join(word.pattern for word in patterns)})", re.IGNORECASE
    )
    return tuple(any_word.split(around))
