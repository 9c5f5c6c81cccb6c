"""Translations of a class file's texts, from the catalogues of the dashboard."""

from __future__ import annotations

from functools import cache

from babel.messages.extract import extract

from dashboard.class_file.bundle import SCRIPTS, read_modules
from dashboard.class_file.text_class import NO_SCRIPT, TITLE
from dashboard.i18n.language import ENGLISH, LANGUAGES, texts_in
from engine.core.errors import ParameterError


@cache
def translated_words(language: str) -> dict[str, str]:
    """Return the translations of the page's texts by the English ones; to be read only.

    English needs none.

    Parameters
    ----------
    language : str

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
    catalogue = texts_in(language)
    texts = (TITLE, NO_SCRIPT, *script_texts())
    return {text: catalogue[(text,)][0] for text in texts if (text,) in catalogue}


def script_texts() -> list[str]:
    """Return the texts that the page's scripts look up, in English."""
    texts: dict[str, None] = {}
    for name in read_modules():
        with (SCRIPTS / name).open("rb") as file:
            for _line, text, _comments, _context in extract(
                "javascript", file, {"_": None}
            ):
                texts[text if isinstance(text, str) else text[0]] = None
    return list(texts)
