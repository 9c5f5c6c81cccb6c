"""Messages of the engine, with values in them, in the language in use.

The engine speaks English and puts numbers and names into its sentences as it writes
them, so no catalogue has them as they are. Their patterns are in
:mod:`dashboard.i18n.text_engine`: a sentence that fits one is said as the catalogue
says that pattern, with the same values. What fits none stays English.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dashboard.i18n import text_engine
from dashboard.i18n.language import ENGLISH, _, current

_PLACE = re.compile(r"\\{(\w+)\\}")
_BETWEEN = re.compile(r"(?<=[.:]) (?=[A-Z])")


def translate(text: str) -> str:
    """Return a text of the engine in the language in use.

    Parameters
    ----------
    text : str
        One sentence, or several with a space between them.
    """
    if current() == ENGLISH or not text:
        return text
    sentences = _BETWEEN.split(text)
    found = [_translate(one) for one in sentences]
    if None in found:
        # Some patterns have several sentences.
        whole = _translate(text)
        if whole is not None:
            return whole
    parts = zip(found, sentences, strict=True)
    return " ".join(one if one is not None else same for one, same in parts)


def _translate(sentence: str) -> str | None:
    """Return one sentence's translation, or None where there is none."""
    known = _(sentence)
    if known != sentence:
        return known
    for template, pattern in _patterns():
        found = pattern.fullmatch(sentence)
        if found:
            values = found.groupdict()
            return _(template).format(**{k: _listed(v) for k, v in values.items()})
    return None


def _listed(value: str) -> str:
    """Return what the engine has put in, which may be a list of phrases."""
    return "; ".join(_translate(one) or one for one in value.split("; "))


@lru_cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return every pattern with its expression, those with most words first."""
    templates = sorted(
        (*text_engine.PATTERNS, *text_engine.STAGES), key=len, reverse=True
    )
    return tuple((one, _expression(one)) for one in templates)


def _expression(template: str) -> re.Pattern[str]:
    return re.compile(_PLACE.sub(r"(?P<\1>.+?)", re.escape(template)), re.DOTALL)
