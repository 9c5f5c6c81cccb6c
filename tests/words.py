"""Words of the manual, and its translations: ``python -m tests.words``.

It counts the English words outside of generated tables and of code that runs, and names
translations that are missing or older than their English chapter. ``python -m
tests.words NAME ...`` marks the translations of chapters as following the English text.
"""

import hashlib
import re
import sys
from pathlib import Path

from dashboard.i18n.language import ENGLISH, LANGUAGES
from dashboard.manual.chapters import CHAPTER_ORDER, MANUAL_FOLDER, PARTS

MAX_WORDS = 23_000

TRANSLATED_CHAPTERS = ("glossary", *PARTS["How-to"])

_GENERATED_PATTERN = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->\n?", re.DOTALL)
_CODE_PATTERN = re.compile(r"^```\w+\n.*?^```$", re.DOTALL | re.MULTILINE)
_SOURCE_PATTERN = re.compile(r"\A<!-- source: (\w+) -->\n")
_SEARCH_WORDS_PATTERN = re.compile(r"<!-- search: .*? -->\n?")


def read_written(name: str) -> str:
    """Return what somebody wrote of an English chapter for readers.

    That is without generated tables, and without words for the search alone, which
    translations have of their own.
    """
    text = (MANUAL_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return _SEARCH_WORDS_PATTERN.sub("", _GENERATED_PATTERN.sub("", text))


def count_words() -> dict[str, int]:
    """Return the number of words of each chapter, code that runs left out."""
    return {
        name: len(_CODE_PATTERN.sub("", read_written(name)).split())
        for name in CHAPTER_ORDER
    }


def source_digest(name: str) -> str:
    """Return the digest of an English chapter that its translations carry."""
    return hashlib.sha256(read_written(name).encode()).hexdigest()[:12]


def translations() -> dict[Path, str]:
    """Return the path of each translation that there should be, and its chapter."""
    languages = [language for language in LANGUAGES if language != ENGLISH]
    return {
        MANUAL_FOLDER / f"{name}.{language}.md": name
        for name in TRANSLATED_CHAPTERS
        for language in languages
    }


def find_stale_translations() -> list[str]:
    """Return a sentence for each translation that is missing or out of date."""
    stale = []
    for path, name in translations().items():
        if not path.is_file():
            stale.append(f"{path.name} is missing")
            continue
        source = _SOURCE_PATTERN.match(path.read_text(encoding="utf-8"))
        if source is None or source[1] != source_digest(name):
            stale.append(f"{path.name} is older than {name}.md")
    return stale


def mark_translations(names: list[str]) -> None:
    """Write into the translations of chapters that they follow the English text."""
    for path, name in translations().items():
        if name in names and path.is_file():
            text = _SOURCE_PATTERN.sub("", path.read_text(encoding="utf-8"))
            mark = f"<!-- source: {source_digest(name)} -->\n"
            path.write_text(mark + text, encoding="utf-8")


if __name__ == "__main__":
    mark_translations(sys.argv[1:])
    counts = count_words()
    for name, count in counts.items():
        print(f"{count:6,} {name}")
    print(f"{sum(counts.values()):6,} of {MAX_WORDS:,}")
    print("\n".join(find_stale_translations()))
