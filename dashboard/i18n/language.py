"""Language of the interface: English in the code, others from catalogues.

Every text on screen is written in English where it is used and passes through
:func:`_`, or :func:`n_` where a number decides between singular and plural::

    st.button(_("Choose protection"))
    st.badge(_("{count} records").format(count=f"{n:,}"))
    n_("{count} run done", "{count} runs done", n).format(count=n)

Texts that differ from run to run are put in with ``format``, after the lookup: an
f-string would be looked up with its values in it, and never be found. Longer texts
are constants of the ``text`` modules and translated where they are shown,
``_(text.COMPARE_INTRO)``; so are titles and descriptions that the engine registers,
``_(info.title)``, and the engine's errors, warnings and other messages, which bring the
template and the values that they were made from: ``_(error.message)``. English stay
reports and other files to take away, and the command line.

A catalogue is a file ``locale/LANGUAGE.po``, in the format that translators' tools read
and write; :mod:`dashboard.i18n.catalogue` keeps it up to date. What it lacks stays
English. Never name a variable ``_`` where this function is in use.

Whose language counts is decided by :func:`set_language_source`: this module knows no
screen, so that charts can use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from gettext import c2py
from pathlib import Path

from babel import Locale

# Babel reads catalogues as translators write them: no compiled file to keep in step.
from babel.messages.pofile import read_po

from engine.core.message import Message

CATALOGUES = Path(__file__).with_name("locale")
"""Folder of the catalogues."""

ENGLISH = "en"
"""The language of the texts in the code."""

LANGUAGES: Mapping[str, str] = {
    name: (Locale(name).get_language_name() or name).capitalize()
    for name in (ENGLISH, *sorted(path.stem for path in CATALOGUES.glob("*.po")))
}
"""By identifier, what a language calls itself: English, and each catalogue's."""

MAX_HEADER_CHARS = 1_000
"""Characters of a browser's languages that are looked at."""

_current: Callable[[], str] = lambda: ENGLISH  # noqa: E731 - is replaced


def set_language_source(current: Callable[[], str]) -> None:
    """Set the function that returns the language for every lookup of a text."""
    global _current
    _current = current


def current() -> str:
    """Return the identifier of the language in use, one of :data:`LANGUAGES`."""
    return _current()


def match_locale(locale: str | None) -> str:
    """Return the language of a browser's locale, such as ``zh-CN``, else English."""
    name = _language_code(locale or "")
    return name if name in LANGUAGES else ENGLISH


def preferred_language(accept_language: str) -> str:
    """Return the first language of ``Accept-Language`` that we have, else English."""
    language_ranges = accept_language[:MAX_HEADER_CHARS].split(",")
    names = [_language_code(each.split(";")[0].strip()) for each in language_ranges]
    return next((name for name in names if name in LANGUAGES), ENGLISH)


def _language_code(locale: str) -> str:
    return locale.replace("_", "-").split("-")[0].lower()


def _(text: str) -> str:
    """Return a text, or a message of the engine's, in the language in use."""
    return translate_into(current(), text)


def n_(one: str, many: str, count: int) -> str:
    """Return a text's singular or plural for a count, in the language in use.

    Parameters
    ----------
    one, many : str
        What English has for 1, and for any other number.
    count : int
    """
    return _plural(current(), one, many, count)


def within_sentence(title: str) -> str:
    """Return a translated title for use in a sentence: lower case, except in German.

    German writes nouns with a capital wherever they stand.
    """
    return title if current() == "de" else title.lower()


def capitalize_first(text: str) -> str:
    """Return a text with its first letter as a capital, and the rest unchanged."""
    return text[:1].upper() + text[1:]


def translate_into(language: str, text: str) -> str:
    """Return a text or message in a given language, for people without a page.

    Parameters
    ----------
    language : str
        One of :data:`LANGUAGES`.
    text : str or Message
    """
    if isinstance(text, Message):
        return text.translated(
            partial(translate_into, language), partial(_plural, language)
        )
    return catalogue_texts(language).get((text,), (text,))[0] if text else text


def _plural(language: str, singular: str, plural: str, count: int) -> str:
    english = singular if count == 1 else plural
    forms = catalogue_texts(language).get((singular, plural))
    return (
        english
        if forms is None
        else forms[_read_catalogue(language).plural_index(count)]
    )


@dataclass(frozen=True)
class _Catalogue:
    """Translations by a text, or its singular and plural; and which plural counts."""

    texts: Mapping[tuple[str, ...], tuple[str, ...]]
    plural_index: Callable[[int], int]


def catalogue_texts(language: str) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return a language's translations, by text or by singular and plural."""
    return {} if language == ENGLISH else _read_catalogue(language).texts


@lru_cache
def _read_catalogue(language: str) -> _Catalogue:
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = read_po(file)
    translations = {}
    for message in catalogue:
        forms = _forms(message.string or "")
        if message.id and all(forms):
            translations[_forms(message.id)] = forms
            # A singular can be a text of its own elsewhere; catalogues hold it once.
            translations[_forms(message.id)[:1]] = forms[:1]
    return _Catalogue(translations, c2py(catalogue.plural_expr))


def _forms(text: str | list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def join_names(names: Sequence[str]) -> str:
    """Return names joined as in a sentence: a, b and c."""
    *others, last = names
    return ", ".join(others) + _(" and ") + last if others else last
