"""Chapters of the manual, cut into sections at their headings."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

MANUAL_FOLDER = Path(__file__).parent

ENGLISH = "en"
"""The language in which every chapter is written."""

PARTS = {
    "Start": ("start", "tasks", "install", "ten-minutes", "glossary"),
    "Tutorials": ("tutorial-dashboard", "tutorial-command-line", "python", "lab"),
    "How-to": (
        "choose-columns",
        "choose-k",
        "choose-method",
        "several-rows",
        "rules",
        "missing-values",
        "weights",
        "hierarchies",
        "need",
        "repeated-releases",
        "evidence",
        "not-reached",
        "every-night",
        "memory-and-time",
        "beyond-memory",
        "your-data",
        "serving",
        "analysis",
        "other-tools",
        "class",
        "cite",
    ),
    "Reference": (
        "pages",
        "choices",
        "command-line",
        "plan-fields",
        "python-names",
        "methods",
        "measures",
        "files",
        "limits",
        "errors",
    ),
    "Explanation": (
        "microaggregation",
        "near-optimal",
        "mixed-data",
        "fuzzy",
        "literature",
        "composition",
        "what-changes",
    ),
    "Developers": ("how-it-is-built", "terms"),
}
"""Names of the chapters' files by what readers want of them (Diátaxis)."""

CHAPTER_ORDER = tuple(name for part in PARTS.values() for name in part)
"""Names of the chapters' files, as they are read."""

TASKS = "tasks"
"""Chapter that lists what readers want to do, from the file of this name in TOML."""

DARK = "-dark"
"""What the name of a picture for dark pages ends with, before the suffix."""

CHAPTER, AT = "chapter", "at"
"""Parameters of Help's address: a chapter, and the anchor of a heading in it."""

_FENCE_PATTERN = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_HEADING_PATTERN = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
_COMMENT_PATTERN = re.compile(r"<!--.*?-->\n?")
_SEARCH_WORDS_PATTERN = re.compile(r"<!-- search: (.*?) -->")


@dataclass(frozen=True)
class ManualSection:
    """A heading of the manual and the text below it.

    Attributes
    ----------
    title : str
        The heading; that of the chapter for its beginning.
    anchor : str
        What a link to the heading ends with; empty for the chapter's beginning.
    level : int
        1 for the chapter's title, 2 and 3 for headings in it.
    text : str
        Markdown.
    search_words : str
        Words by which a search finds the section, though its text has others:
        ``<!-- search: time-out, connection lost -->``, and tasks that it answers.
    """

    title: str
    anchor: str
    level: int
    text: str
    search_words: str = ""


@dataclass(frozen=True)
class ManualChapter:
    """A chapter of the manual: identifier, language and sections.

    Attributes
    ----------
    id : str
        Name of the file without its ending.
    sections : tuple of ManualSection
        The first is the beginning, below the chapter's title.
    language : str
        Language in which it is written.
    """

    id: str
    sections: tuple[ManualSection, ...]
    language: str = ENGLISH

    @property
    def title(self) -> str:
        """Title of the chapter."""
        return self.sections[0].title

    @property
    def summary(self) -> str:
        """First paragraph of the chapter, on one line."""
        return " ".join(self.sections[0].text.split("\n\n")[0].split())


@cache
def read_manual_chapters_by_name(language: str = ENGLISH) -> dict[str, ManualChapter]:
    """Return all chapters by name in reading order, in a language or else English.

    Parameters
    ----------
    language : str
        Chapters that are not translated into it, as ``NAME.de.md``, are English.
    """
    return {name: _read_chapter(name, language) for name in CHAPTER_ORDER}


def _read_chapter(name: str, language: str) -> ManualChapter:
    chapter = _parse_chapter(name, MANUAL_FOLDER / f"{name}.md")
    path = MANUAL_FOLDER / f"{name}.{language}.md"
    if not path.is_file():
        return chapter
    # Links name English headings in every language.
    sections = tuple(
        replace(section, anchor=english_section.anchor)
        for section, english_section in zip(
            _parse_chapter(name, path).sections, chapter.sections, strict=True
        )
    )
    return ManualChapter(name, sections, language)


@cache
def read_tasks_by_matter() -> dict[str, dict[str, str]]:
    """Return what readers want to do, by matter: each task with the link to its answer.

    The tasks are English.
    """
    return tomllib.loads((MANUAL_FOLDER / f"{TASKS}.toml").read_text(encoding="utf-8"))


def heading_anchor(title: str) -> str:
    """Return a heading's link anchor: small letters, hyphens for spaces, as on GitHub.

    Examples
    --------
    >>> heading_anchor("Groups inside strata, and apart")
    'groups-inside-strata-and-apart'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _parse_chapter(name: str, path: Path) -> ManualChapter:
    text = path.read_text(encoding="utf-8")
    is_english = path.stem == name
    code = [match.span() for match in _FENCE_PATTERN.finditer(text)]
    headings = [  # a comment in code begins like a heading
        match
        for match in _HEADING_PATTERN.finditer(text)
        if not any(start < match.start() < end for start, end in code)
    ]
    ends = [*(match.start() for match in headings[1:]), len(text)]
    sections = []
    for match, end in zip(headings, ends, strict=True):
        level = match[0].index(" ")
        anchor = heading_anchor(match[1]) if level > 1 else ""
        body = text[match.end() : end]
        words = _SEARCH_WORDS_PATTERN.findall(body)
        if is_english:
            link = "#".join(filter(None, (f"{name}.md", anchor)))
            words += _tasks_by_link().get(link, [])
        body = _COMMENT_PATTERN.sub("", body).strip()
        sections.append(ManualSection(match[1], anchor, level, body, " ".join(words)))
    return ManualChapter(name, tuple(sections))


@cache
def _tasks_by_link() -> dict[str, list[str]]:
    """Return the tasks that lead to each section."""
    tasks_by_link = defaultdict[str, list[str]](list)
    for tasks in read_tasks_by_matter().values():
        for task, link in tasks.items():
            tasks_by_link[link].append(task)
    return dict(tasks_by_link)
