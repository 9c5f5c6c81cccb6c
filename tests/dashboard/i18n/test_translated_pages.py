"""Every page in every language: nothing breaks, and no English sentence is left."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

import sample_data
from dashboard.i18n import language
from dashboard.learn.terms import ALL_TERMS
from dashboard.server.adapter import access
from dashboard.state import session
from dashboard.state.results.requested import requested_outcomes
from dashboard.state.workspace import Workspace
from dashboard.ui.header.learn_links import GLOSSARY, PUBLISHED
from engine.analysis.need import load_rule_sets
from engine.measures import measures
from engine.methods import methods
from tests.dashboard.pages import (
    open_page,
    sample,
    small_table,
    with_measures,
    with_runs,
    with_table,
    workspace,
)
from tests.dashboard.translated import english_in, english_texts_in

NOT_READ = {
    *("id", "key", "icon", "form_id", "page", "page_script_hash", "url", "value"),
    *("js_content", "css_content", "html_content", "styles"),
}
"""Fields of Streamlit's messages that nobody sees as they are, or that hold data."""

IN_JSON = ("spec", "columns", "config")
"""Fields that hold figures and headings as JSON."""

SHOWN_IN_JSON = {"label", "help", "text", "title", "name", "hovertemplate", "prefix"}


@cache
def names() -> tuple[str, ...]:
    """Return what is called the same in every language: authors, methods, columns."""
    words = ["Ctrl + Shift + Z", "Hansen-Mukherjee"]
    for info in methods.infos():
        words += [
            info.reference.short_citation,
            info.reference.text,
            info.title,
            info.id,
        ]
    words += [info.reference for info in measures.infos()]
    words += [term.source for term in ALL_TERMS]
    words += [rules.title for rules in load_rule_sets().values()]
    for sample_file in sample_data.SAMPLES:
        words += [sample_file.description.split("Source: ")[-1].split(", Table 1")[0]]
        words += sample_file.schema.names
    return (*words, *small_table().schema.names)


def strings(message: Message) -> Iterator[str]:
    """Yield the texts of a message of Streamlit's, as deep as they are."""
    for field, value in message.ListFields():
        if field.name in NOT_READ or field.name.endswith("_id"):
            continue
        for part in value if field.is_repeated else [value]:
            if isinstance(part, Message):
                yield from strings(part)
            elif isinstance(part, str) and field.name in IN_JSON:
                yield from in_json(json.loads(part)) if part else ()
            elif isinstance(part, str):
                yield part


def in_json(content: object, name: str = "") -> Iterator[str]:
    """Yield the texts of a figure or of a table's headings."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from in_json(value, key)
    elif isinstance(content, list):
        for value in content:
            yield from in_json(value, name)
    elif isinstance(content, str) and name in SHOWN_IN_JSON:
        yield content


def shown(page: AppTest) -> Iterator[str]:
    """Yield every text on a page but code, styles and the data of tables."""
    for element in page._tree:
        # Parts of the page are elements too; those without a frame have no message.
        message = getattr(element, "proto", None)
        if element.type == "code" or not isinstance(message, Message):
            continue
        if element.type == "bidi_component" and message.json.startswith('{"table"'):
            yield from column_texts(json.loads(message.json))
        elif element.type == "bidi_component" and "districts" in message.json:
            content = json.loads(json.loads(message.json))
            yield from content["words"].values()  # by the English ones
        elif element.type == "bidi_component" and 'figure\\"' in message.json:
            # A string, so that Streamlit sees by itself that nothing has changed.
            yield from chart_texts(json.loads(json.loads(message.json)))
        else:
            yield from (t for t in strings(message) if not t.startswith("<style>"))


def column_texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of the list of columns, without values of the table."""
    yield json.dumps(data["texts"], ensure_ascii=False)
    for entry in (*data["roles"], *data["kinds"]):
        yield from (entry["label"], entry["help"])
    for _values, count, spread, _bars, why, _label in data["facts"].values():
        yield from (count, spread, why)


def chart_texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a chart, whose figures are JSON, and of what is beside it."""
    for name, value in data.items():
        if name == "figure":
            yield from in_json(json.loads(value))
        else:
            yield from in_json(value, "text")


def left_over(page: AppTest) -> list[str]:
    return [run for text in shown(page) for run in english_in(text, names())]


@pytest.fixture(autouse=True)
def _chinese_outside() -> Iterator[None]:
    """Let AppTest, which knows options as they are shown, see them as pages do."""
    language.set_language_source(
        lambda: session._language_code() if access.current_session_id() else "zh"
    )
    yield
    language.set_language_source(session._language_code)


def in_chinese(name: str, ws: Workspace, **asked: str) -> AppTest:
    return open_page(name, replace(ws, language="zh"), **asked)


@pytest.fixture(scope="module")
def measured() -> Workspace:
    """Return a workspace with runs of every kind of method, all measured."""
    ws = with_runs(
        small_table(), methods=("mdav", "vmdav", "caat"), sizes=(3, 5), polish=True
    )
    return with_measures(ws)


def test_data() -> None:
    ws = with_table(small_table(missing=3), constraints=("size >= 0",))
    assert left_over(in_chinese("data", ws)) == []


@pytest.mark.parametrize(
    "name", [sample_file.id for sample_file in sample_data.SAMPLES]
)
def test_every_sample(name: str) -> None:
    assert left_over(in_chinese("data", sample(name))) == []


def test_protect() -> None:
    for ws in (sample("hospital_discharges"), with_table(small_table(), methods=())):
        assert left_over(in_chinese("compare", ws)) == []


@pytest.mark.parametrize("name", ["compare", "inspect", "release"])
def test_results(name: str, measured: Workspace) -> None:
    assert left_over(in_chinese(name, measured)) == []


def test_inspect_part_by_part(measured: Workspace) -> None:
    page = in_chinese("inspect", measured)
    part = next(widget for widget in page.button_group if "回放" in widget.options)
    for option in list(part.options):
        part = next(widget for widget in page.button_group if "回放" in widget.options)
        part.set_value(option).run()
        assert left_over(page) == [], option


def test_two_results_side_by_side(measured: Workspace) -> None:
    pinned = tuple(outcome.plan for outcome in requested_outcomes(measured)[:2])
    assert left_over(in_chinese("compare", replace(measured, pinned=pinned))) == []


SHOWN_IN_LEARN = [
    f"learn?show={show}"
    for show in ("class-loss", "class-effort", "class-game", PUBLISHED, GLOSSARY)
]


@pytest.mark.parametrize(
    "address",
    ["data", "need", "compare", "inspect", "release", "learn", *SHOWN_IN_LEARN],
)
def test_every_page_is_chinese_and_offers_every_language(address: str) -> None:
    name, _, show = address.partition("?show=")
    page = in_chinese(name, sample(), **({"show": show} if show else {}))
    assert left_over(page) == []
    menus = [menu.proto for menu in page._tree if menu.type == "menu_button"]
    names = list(language.LANGUAGES.values())
    assert [list(menu.options) for menu in menus] == [names]


@pytest.mark.slow
@pytest.mark.parametrize("code", sorted({*language.LANGUAGES} - {"en", "zh"}))
@pytest.mark.parametrize(
    "name", ["data", "need", "compare", "inspect", "release", "learn"]
)
def test_no_english_text_is_left_on_a_page(
    name: str, code: str, measured: Workspace
) -> None:
    page = open_page(name, replace(measured, language=code))
    shown_texts = list(shown(page))
    assert len(shown_texts) > 10
    english_words = [english_texts_in(text, code) for text in shown_texts]
    assert [words for words in english_words if words] == []


def test_a_language_stays_from_page_to_page() -> None:
    page = in_chinese("data", sample())
    page.switch_page("app_pages/compare/view.py").run()
    assert left_over(page) == []
    assert workspace(page).language == "zh"
