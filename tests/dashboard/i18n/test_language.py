"""Texts in another language: found where there are, English where not."""

import io
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from dashboard.i18n import language
from dashboard.i18n.language import _, n_
from dashboard.ui.browser_components.components import table_to_csv

POLISH = """msgid ""
msgstr ""
"Language: pl\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && "
"(n%100<10 || n%100>=20) ? 1 : 2);\\n"

msgid "{n} file"
msgid_plural "{n} files"
msgstr[0] "{n} plik"
msgstr[1] "{n} pliki"
msgstr[2] "{n} plików"
"""


@pytest.fixture
def chinese() -> Iterator[None]:
    before = language._current
    language.set_language_source(lambda: "zh")
    yield
    language.set_language_source(before)


def test_english_is_what_the_code_says() -> None:
    assert _("Data") == "Data"
    assert n_("{count} record", "{count} records", 1) == "{count} record"
    assert n_("{count} record", "{count} records", 0) == "{count} records"


def test_a_catalogue_translates(chinese: None) -> None:
    assert _("Data") == "数据"
    for count in (0, 1, 7):
        text = n_("{count} record", "{count} records", count)
        assert text.format(count=count) == f"{count} 条记录"


def test_what_no_catalogue_has_stays_english(chinese: None) -> None:
    assert _("Zxcvbnm") == "Zxcvbnm"
    assert n_("{n} zxcv", "{n} zxcvs", 2) == "{n} zxcvs"
    assert _("") == ""


def test_a_table_in_chinese_opens_in_spreadsheets() -> None:
    frame = pd.DataFrame({"方法": ["MDAV"]})
    content = table_to_csv(frame, "zh")
    assert content.startswith(b"\xef\xbb\xbf")
    assert read_csv_back(content).equals(frame)
    assert (
        table_to_csv(frame.rename(columns={"方法": "Method"}), "en")
        == b"Method\nMDAV\n"
    )


def read_csv_back(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")


def test_plurals_follow_the_rule_of_the_catalogue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pl.po").write_text(POLISH, encoding="utf-8")
    monkeypatch.setattr(language, "CATALOGUES", tmp_path)
    language._read_catalogue.cache_clear()
    monkeypatch.setattr(language, "_current", lambda: "pl")
    words = [n_("{n} file", "{n} files", count) for count in (1, 2, 5, 12, 22)]
    language._read_catalogue.cache_clear()
    assert words == ["{n} plik", "{n} pliki", "{n} plików", "{n} plików", "{n} pliki"]


def test_every_catalogue_is_a_language_that_is_offered() -> None:
    files = {path.stem for path in language.CATALOGUES.glob("*.po")}
    assert {*language.LANGUAGES} == files | {language.ENGLISH}
    assert language.LANGUAGES["de"] == "Deutsch"


@pytest.mark.parametrize(
    ("locale", "found"),
    [
        ("de-AT", "de"),
        ("zh-CN", "zh"),
        ("zh_TW", "zh"),
        ("en-GB", "en"),
        ("xx", "en"),
        (None, "en"),
    ],
)
def test_a_browser_gets_its_language_or_english(locale: str | None, found: str) -> None:
    assert language.match_locale(locale) == found
