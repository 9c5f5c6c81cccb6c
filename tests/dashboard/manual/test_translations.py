"""Translated chapters say and show what the English ones do."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from dashboard.manual import read_manual_chapters_by_name
from dashboard.manual.chapters import MANUAL_FOLDER
from tests.words import MAX_WORDS, count_words, find_stale_translations, translations

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

TRANSLATED = sorted(path.stem for path in MANUAL_FOLDER.glob("*.*.md"))
"""Chapter and language, as in ``choose-k.de``."""


def read_pair(stem: str) -> tuple[str, str]:
    """Return a chapter in English and in the other language."""
    chapter, _dot, _language = stem.partition(".")
    english, translated = (
        (MANUAL_FOLDER / f"{name}.md").read_text("utf-8") for name in (chapter, stem)
    )
    return english, translated


def code_blocks(text: str) -> list[tuple[str, str]]:
    """Return blocks that are run; pictures made of text are translated."""
    return [block for block in BLOCK.findall(text) if block[0] != "text"]


def code_in_lines(text: str) -> set[str]:
    """Return what stands between backquotes, however lines are broken."""
    matches = re.findall(r"`([^`]+)`", BLOCK.sub("", text))
    return {" ".join(code.split()) for code in matches}


def link_targets(text: str) -> Counter[str]:
    """Return where links lead, and how often; pictures may have a language."""
    text = re.sub(r"\.\w\w(?=\.svg\))", "", BLOCK.sub("", text))
    return Counter(re.findall(r"\]\(([^)]+)\)", text))


def test_every_how_to_is_translated_as_it_is_now() -> None:
    assert find_stale_translations() == [], "translate; then python -m tests.words NAME"
    assert {f"{path.stem}" for path in translations()} == set(TRANSLATED)


def test_the_manual_is_short() -> None:
    assert sum(count_words().values()) <= MAX_WORDS


@pytest.mark.parametrize("stem", TRANSLATED)
def test_code_options_and_links_are_the_same(stem: str) -> None:
    english, translated = read_pair(stem)
    assert code_blocks(translated) == code_blocks(english)
    assert code_in_lines(translated) == code_in_lines(english)
    assert link_targets(translated) == link_targets(english)


@pytest.mark.parametrize("stem", TRANSLATED)
def test_headings_are_translated_one_by_one(stem: str) -> None:
    name, _dot, language = stem.partition(".")
    english, translated = (
        read_manual_chapters_by_name()[name],
        read_manual_chapters_by_name(language)[name],
    )
    assert translated.language == language
    for translated_section, english_section in zip(
        translated.sections, english.sections, strict=True
    ):
        assert (translated_section.level, translated_section.anchor) == (
            english_section.level,
            english_section.anchor,
        )
        assert translated_section.title != english_section.title
        assert translated_section.text != english_section.text
