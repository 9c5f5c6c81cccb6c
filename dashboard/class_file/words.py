"""Texts of a class file: those to translate, translations, and lesson titles."""

from __future__ import annotations

import re
from functools import cache

from babel.messages.extract import extract

from dashboard.class_file.bundle import SCRIPTS, read_javascript_modules
from dashboard.class_file.page import LESSONS
from dashboard.class_file.text_class import NO_SCRIPT, TITLE
from dashboard.i18n.language import ENGLISH, LANGUAGES, catalogue_texts
from engine.core.errors import ParameterError

_LESSON = re.compile(r'^  id: "([\w-]+)",\n  title: _\("([^"]+)"\),$', re.MULTILINE)


@cache
def script_translations(language: str) -> dict[str, str]:
    """Return translations of the page's texts into a language, by English text, if any.

    English needs none.

    Raises
    ------
    ParameterError
        If there is no such language.
    """
    if language not in LANGUAGES:
        raise ParameterError(
            "There is no language {language!r}; there are {known}.",
            language=language,
            known=tuple(LANGUAGES),
        )
    if language == ENGLISH:
        return {}
    catalogue = catalogue_texts(language)
    words: dict[str, str] = {}
    for texts in ((TITLE,), (NO_SCRIPT,), *script_texts_to_translate()):
        # A singular and a plural: a language with one form says both by it.
        forms = catalogue.get(texts, ())
        if forms:
            words |= {
                text: forms[min(i, len(forms) - 1)] for i, text in enumerate(texts)
            }
    return words


def script_texts_to_translate() -> list[tuple[str, ...]]:
    """Return the English texts that the class file's scripts look up.

    A text is alone, or a singular with its plural.
    """
    texts: dict[tuple[str, ...], None] = {}
    for name in read_javascript_modules():
        with (SCRIPTS / name).open("rb") as file:
            for _line, text, _comments, _context in extract(
                "javascript", file, {"_": None, "n_": (1, 2)}
            ):
                texts[(text,) if isinstance(text, str) else tuple(text[:2])] = None
    return list(texts)


def lesson_titles() -> dict[str, str]:
    """Return the lessons' English titles from the scripts, by identifier."""
    titles = dict(_LESSON.findall("".join(read_javascript_modules().values())))
    return {name: titles[name] for name in LESSONS}
