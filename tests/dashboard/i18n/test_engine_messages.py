"""Sentences of the engine with values in them are recognised and translated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
import sample_data
from dashboard.app_pages.release.checklist import checklist
from dashboard.app_pages.release.delivery import written
from dashboard.i18n import text_engine
from dashboard.i18n.engine_messages import translate
from dashboard.state.workspace import outcomes
from engine.data.kinds import Role
from engine.data.propose import suggest, warnings
from engine.data.table import Table
from engine.measures.sampling import sampled_note
from tests.dashboard.chinese import english_in, in_chinese
from tests.dashboard.pages import small_table, with_runs


@pytest.fixture(scope="module")
def results() -> list[tuple[object, Table]]:
    """Return outcomes that say as much as they can."""
    found = []
    table = small_table(missing=4)
    for choices in (
        {"missing": "median", "p_sensitive": 9},
        {"missing": "keep", "strata": "region", "polish": True},
        {"missing": "mode", "methods": ("fuzzy",), "constraints": ("size >= 0",)},
        {"missing": "drop", "blocks": (("sales",),), "methods": ("mdav",)},
    ):
        ws = with_runs(
            table, **({"methods": ("mdav", "caat"), "sizes": (3,)} | choices)
        )
        found += [(one, table) for one in outcomes(ws)]
    return found


def test_in_english_nothing_changes() -> None:
    for text in ("It holds words (4 different).", "Every value is different.", ""):
        assert translate(text) == text


def test_values_stay_in_the_sentence() -> None:
    with in_chinese():
        assert translate("It holds words (4 different).") == "含词（4 个不同）。"
        assert translate("Left out: name, number.") == "已删除：name, number。"


def test_what_no_pattern_has_stays_english() -> None:
    with in_chinese():
        assert translate("Zxcvbnm 4 asdf.") == "Zxcvbnm 4 asdf."


def test_reasons_for_roles_are_translated() -> None:
    with in_chinese():
        for sample in sample_data.SAMPLES:
            for found in suggest(sample_data.load(sample.id).frame):
                assert english_in(translate(found.reason)) == [], found.reason


def test_warnings_about_roles_are_translated() -> None:
    table = small_table().assign(
        roles={"name": Role.OTHER, "size": Role.OTHER, "region": Role.OTHER}
    )
    assert len(warnings(table)) >= 2
    with in_chinese():
        for sentence in warnings(table):
            assert english_in(translate(sentence)) == []


def test_checks_and_what_was_done_are_translated(
    results: list[tuple[object, Table]],
) -> None:
    with in_chinese():
        for outcome, table in results:
            for check in written(outcome, table).checks:
                assert english_in(translate(check.title)) == []
                assert english_in(translate(check.detail)) == [], check.detail
            for _sign, line in checklist(outcome, table):
                assert english_in(line) == [], line


def test_notes_on_samples_are_translated() -> None:
    with in_chinese():
        assert english_in(translate(sampled_note(10, 99))) == []


def test_stages_are_translated() -> None:
    with in_chinese():
        assert translate("MDAV, k = 5: Lower bound") == "MDAV，k = 5： 下界"


def stages() -> Iterator[str]:
    """Yield what the engine says of its progress, as far as it is always the same."""
    for path in Path(engine.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign):
                named = [one.id for one in node.targets if isinstance(one, ast.Name)]
                if any(name.strip("_") in ("STAGE", "stage") for name in named):
                    yield from _literal(node.value)
            called = getattr(getattr(node, "func", None), "attr", "")
            if called in ("tick", "part") and len(node.args) == 3:
                yield from _literal(node.args[2])


def _literal(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Message":
        (node,) = node.args
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_every_stage_of_the_engine_is_known() -> None:
    found = set(stages())
    assert "Lower bound" in found
    with in_chinese():
        unknown = {one for one in found if translate(one) == one and "{" not in one}
    assert unknown == set(), "add it to dashboard.i18n.text_engine"


def test_no_two_patterns_fit_one_sentence_with_other_words() -> None:
    # A pattern made of places alone would swallow every sentence.
    for pattern in (*text_engine.PATTERNS, *text_engine.STAGES):
        assert re.sub(r"\{\w+\}|\W", "", pattern), pattern
