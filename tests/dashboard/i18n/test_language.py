"""Texts in another language: found where there are, English where not."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pandas as pd
import pytest

from dashboard.i18n import language
from dashboard.i18n.language import _, n_
from dashboard.ui.components import table_to_csv


@pytest.fixture
def chinese() -> Iterator[None]:
    before = language._current
    language.follow(lambda: "zh")
    yield
    language.follow(before)


def test_english_is_what_the_code_says() -> None:
    assert _("Data") == "Data"
    assert n_("{count} record", "{count} records", 1) == "{count} record"
    assert n_("{count} record", "{count} records", 0) == "{count} records"


def test_a_catalogue_translates(chinese: None) -> None:
    assert _("Data") == "数据"
    for count in (0, 1, 7):
        found = n_("{count} record", "{count} records", count)
        assert found.format(count=count) == f"{count} 条记录"


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


@pytest.mark.parametrize(
    ("locale", "found"),
    [("zh-CN", "zh"), ("zh_TW", "zh"), ("en-GB", "en"), ("xx", "en"), (None, "en")],
)
def test_a_browser_gets_its_language_or_english(locale: str | None, found: str) -> None:
    assert language.nearest(locale) == found
