"""Streamlit's page gets our script, and a sentence for old browsers."""

from importlib.resources import files

import pytest
from lxml import html

from dashboard.i18n.page_html import adapt_page_html

PAGE = (files("streamlit") / "static" / "index.html").read_bytes()


@pytest.mark.parametrize(
    ("languages", "language", "words"),
    [
        ("", "en", "This browser is too old"),
        ("de-AT,en;q=0.5", "de", "Dieser Browser ist zu alt"),
        ("zh-CN", "zh", "太旧"),
    ],
)
def test_where_the_page_will_be_drawn_old_browsers_are_told_why_it_is_not(
    languages: str, language: str, words: str
) -> None:
    adapted = adapt_page_html(PAGE, "./ours.js", languages)
    (root,) = html.fromstring(adapted.decode()).xpath("//div[@id='root']")
    (paragraph,) = root.xpath("p")
    assert words in paragraph.text
    assert paragraph.get("lang") == language
    assert f"#{paragraph.get('id')} {{ display: none }}" in root.findtext("style")


def test_our_script_takes_the_place_of_the_first_that_stands_in_the_page() -> None:
    before, after = (
        html.fromstring(page.decode()).xpath("//script")
        for page in (PAGE, adapt_page_html(PAGE, "./ours.js", ""))
    )
    assert "prerenderReady" in before[0].text
    assert after[0].get("src") == "./ours.js"
    assert not after[0].text
    assert [script.get("src") for script in after[1:]] == [
        script.get("src") for script in before[1:]
    ]


def test_a_page_of_another_make_stays_as_it_is() -> None:
    assert adapt_page_html(b"<p>none</p>", "./ours.js", "") == b"<p>none</p>"
