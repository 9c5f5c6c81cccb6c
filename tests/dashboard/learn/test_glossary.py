"""The glossary says of each promise exactly what its number promises."""

import re

import pytest

from dashboard.i18n import text_glossary
from dashboard.i18n.language import ENGLISH, LANGUAGES, translate_into

PROMISES = {
    "anonymity": ("at least k - 1 other records",),
    "diversity": ("at least l different values",),
    "closeness": ("by at most t",),
    "merging": (
        "at least p different values of each confidential column",
        "of each confidential column differs from that of the whole table by at most t",
    ),
}
"""By entry, what it says of each number."""


@pytest.mark.parametrize("entry", PROMISES)
def test_an_entry_says_how_much_its_number_promises(entry: str) -> None:
    for words in PROMISES[entry]:
        assert words in text_glossary.MEANINGS[entry]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("entry", PROMISES)
def test_its_translations_name_the_same_numbers(entry: str, language: str) -> None:
    number = re.compile(r"(?<![\w-])[kltp](?!\w|-[A-Za-z])", re.ASCII)
    meaning = text_glossary.MEANINGS[entry]
    translation = translate_into(language, meaning)
    assert {*number.findall(translation)} >= {*number.findall(meaning)}
    assert (translation == meaning) == (language == ENGLISH)
