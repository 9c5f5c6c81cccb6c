"""Manual as shown on the Help page: texts, code, pictures, links and search hits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from dashboard.manual import ManualChapter, ManualSection, read_manual_chapters_by_name
from dashboard.manual.chapters import (
    AT,
    CHAPTER,
    DARK,
    ENGLISH,
    MANUAL_FOLDER,
    TASKS,
)

BEFORE, AFTER = 60, 140
"""Letters of an excerpt before and after the first word that was found."""

_STOP_WORD_PATTERN = re.compile(
    "a|about|all|an|and|are|at|be|by|can|do|does|for|from|has|have|how|i|in|is|it|may|me|"
    "must|my|of|on|or|our|that|the|their|there|they|this|to|up|was|we|what|when|where|"
    "which|who|why|will|with|das|dem|den|der|die|ein|eine|einen|für|ich|im|ist|mein|"
    "meine|man|mit|sind|soll|und|von|wer|wie|wird|wo|zu",
    re.IGNORECASE,
)
"""Words of English and German that are searched for only if there are no others."""

MIN_COVERAGE = 0.5
"""Share of what the words of a search count that a heading must have."""

MIN_WORD_RARITY = 0.01
"""What a word that every heading has counts in a search."""

_CHINESE = "[\u2e80-\u9fff]"

_CODE_OR_LINK = re.compile(
    r"`[^`]*`|\[([^\]]+)\]\((?!https://)(?:([\w-]+)\.md)?(?:#([\w-]+))?\)"
)
_PICTURE_PATTERN = re.compile(r"!\[([^\]]*)\]\(([\w.-]+\.(?:webp|svg))\)")
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
    """Path and alternative text of a picture of the manual."""

    path: Path
    alt: str

    def choose_path(self, *, is_dark: bool) -> Path:
        """Return the path of the picture for a light or a dark page."""
        return self.path.with_stem(self.path.stem + DARK) if is_dark else self.path


@dataclass(frozen=True)
class CodeBlock:
    """Text of a block of code in the manual."""

    text: str


@dataclass(frozen=True)
class ManualSearchHit:
    """Section of the manual that a search found, with its chapter and an excerpt.

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
    """Return a Markdown link with a label to a chapter, or to a heading in it."""
    query = {CHAPTER: chapter} | ({AT: anchor} if anchor else {})
    return f"[{label}](?{urlencode(query)})"


def split_text_code_and_pictures(
    chapter: ManualChapter, section: ManualSection
) -> list[str | CodeBlock | ManualPicture]:
    """Return a section's text as Markdown, code blocks and pictures, in order.

    Links to other chapters become addresses of this page.
    """
    pieces: list[str | CodeBlock | ManualPicture] = []
    text = section.text
    start = 0
    for piece in _SPECIAL_PATTERN.finditer(text):
        pieces.append(_rewrite_links(chapter, text[start : piece.start()]))
        if piece[3] is None:
            pieces.append(
                ManualPicture(MANUAL_FOLDER / piece[2], " ".join(piece[1].split()))
            )
        else:
            pieces.append(CodeBlock(piece[3]))
        start = piece.end()
    pieces.append(_rewrite_links(chapter, text[start:]))
    return [piece for piece in pieces if piece != ""]


def _rewrite_links(chapter: ManualChapter, text: str) -> str:
    def within(match: re.Match[str]) -> str:
        if match[1] is None:  # in code brackets are brackets
            return match[0]
        return chapter_markdown_link(match[1], match[2] or chapter.id, match[3] or "")

    return _CODE_OR_LINK.sub(within, text).strip()


def search_manual(query: str, language: str = ENGLISH) -> list[ManualSearchHit]:
    """Return sections that have enough of a query's words, as hits, best first.

    Words may be given by their beginnings; those that nothing has are left out. A word
    counts the more, the fewer headings have it; hits have at least half of what all
    words count together. Those with most of it come first, and of these the ones that
    have words in their titles.

    Parameters
    ----------
    query : str
    language : str
        Chapters are searched in it where they are translated, otherwise in English.
    """
    terms = query.split()
    terms = [part for part in terms if not _STOP_WORD_PATTERN.fullmatch(part)] or terms
    sections = _list_searchable_sections(language)
    words = [_word_start_pattern(word) for word in terms]
    words = [
        word
        for word in words
        if any(word.search("\n".join(part[2:])) for part in sections)
    ]
    if not words:
        return []
    has_word = np.array(
        [
            [
                [bool(word.search(text)) for word in words]
                for text in (heading, chapter.title, text)
            ]
            for chapter, _section, heading, text in sections
        ]
    )
    anywhere = has_word.any(axis=1)
    rarity = np.log1p(len(sections) / np.maximum(anywhere.sum(axis=0), 1)) - np.log(2)
    rarity += MIN_WORD_RARITY
    coverage = anywhere @ rarity / rarity.sum()
    in_titles = (has_word[:, 0] * 2 + has_word[:, 1]) @ rarity
    order = sorted(
        np.flatnonzero(coverage >= MIN_COVERAGE),
        key=lambda at: (-coverage[at].round(1), -in_titles[at].round(9)),
    )
    return [
        ManualSearchHit(
            *sections[at][:2], split_excerpt_at_matches(sections[at][3], words)
        )
        for at in order
    ]


@cache
def _list_searchable_sections(
    language: str,
) -> tuple[tuple[ManualChapter, ManualSection, str, str], ...]:
    """Return every section of the manual with its title and text without marks.

    Its search words count as words of the title. The list of tasks is left out: a task
    is among the search words of the section that answers it.
    """
    return tuple(
        (
            chapter,
            section,
            f"{markdown_to_plain_text(section.title)} {section.search_words}",
            markdown_to_plain_text(section.text),
        )
        for chapter in read_manual_chapters_by_name(language).values()
        if chapter.id != TASKS
        for section in chapter.sections
    )


def _word_start_pattern(word: str) -> re.Pattern[str]:
    word = re.sub(r"(?<=\w{3})(?<!s)s$", "", word)  # a plural finds the singular too
    # Chinese has no blanks between words: there a word begins after any character.
    # Without letters of two cases: Python looks up the other case of each in a range.
    before = "" if re.match(_CHINESE, word) else rf"(?<!(?-i:[^\W{_CHINESE[1:]}))"
    return re.compile(before + re.escape(word), re.IGNORECASE)


def markdown_to_plain_text(markdown: str) -> str:
    """Return Markdown as one line of plain text, without pictures and common marks.

    Examples
    --------
    >>> markdown_to_plain_text("| `--k K` | see [Rules](rules.md), **always** |")
    '--k K · see Rules, always'
    """
    markdown = _LINK_PATTERN.sub(r"\1", _PICTURE_PATTERN.sub("", markdown))
    markdown = _EMPHASIS_PATTERN.sub(r"\1", _MARKS_PATTERN.sub("", markdown))
    markdown = re.sub(r" ?(?<!\\)\| ?", " · ", markdown).replace("\\|", "|")
    return " ".join(markdown.split())


def split_excerpt_at_matches(
    text: str, patterns: list[re.Pattern[str]]
) -> tuple[str, ...]:
    """Return an excerpt around the earliest match, split into matches and the rest."""
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
