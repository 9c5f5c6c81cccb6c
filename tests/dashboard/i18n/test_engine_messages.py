"""The engine's messages are said in the language in use, values and all."""

import pytest

from dashboard.app_pages.release.checklist import column_checklist
from dashboard.i18n.language import _
from dashboard.state.results.requested import requested_outcomes
from engine.constraints.rules import parse_rules
from engine.core.context import RunContext
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.kinds import Role
from engine.data.propose import role_warnings
from engine.data.table import Table
from engine.measures.reidentification.sampling import sampling_note
from engine.pipeline.plan import Plan
from tests.dashboard.pages import small_table, with_runs, written
from tests.dashboard.translated import english_in, in_chinese


@pytest.fixture(scope="module")
def results() -> list[tuple[object, Table]]:
    """Return outcomes that say as much as they can."""
    outcome_pairs = []
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
        outcome_pairs += [(outcome, table) for outcome in requested_outcomes(ws)]
    return outcome_pairs


def test_in_english_nothing_changes() -> None:
    sentence = Message("It holds words ({count}).", count=Message("text"))
    assert _(sentence) == str(sentence)


def test_values_stay_in_the_sentence() -> None:
    different = Message("{count:,} different", count=4000)
    with in_chinese():
        sentence = Message("It holds words ({count}).", count=different)
        assert _(sentence) == "含词（4,000 个不同）。"
        names = Message("{some!r}", some=["name", "text"])
        assert _(Message("Left out: {columns}.", columns=names)) == (
            "已删除：'name', 'text'。"
        )


def test_errors_are_translated() -> None:
    with in_chinese():
        with pytest.raises(EngineError) as no_method:
            Plan(method="k-war")
        assert _(no_method.value.message) == "没有名为 'k-war' 的方法：是不是 k-ward？"
        with pytest.raises(EngineError) as no_rule:
            parse_rules(("a = b",), ("a", "c"), ("a", "c"))
        assert english_in(_(no_rule.value.message)) == []


def test_warnings_about_roles_are_translated() -> None:
    table = small_table().assign(
        roles={"name": Role.OTHER, "size": Role.OTHER, "region": Role.OTHER}
    )
    assert len(role_warnings(table)) >= 2
    with in_chinese():
        for sentence in role_warnings(table):
            assert english_in(_(sentence)) == []


def test_checks_and_what_was_done_are_translated(
    results: list[tuple[object, Table]],
) -> None:
    with in_chinese():
        for outcome, table in results:
            for check in written(outcome, table).all_checks:
                assert english_in(_(check.title)) == []
                assert english_in(_(check.detail)) == [], check.detail
            for _sign, line in column_checklist(outcome, table):
                assert english_in(line) == [], line


def test_notes_on_samples_are_translated() -> None:
    with in_chinese():
        assert english_in(_(sampling_note(10, 99))) == []


def test_stages_are_translated() -> None:
    stages: list[str] = []
    owner = Message("{method}, k = {k}", method="MDAV", k=5)
    ctx = RunContext(lambda share, stage: stages.append(stage)).subcontext(
        0.0, 1.0, owner
    )
    ctx.tick(0, 1, Message("Lower bound"))
    assert stages == ["MDAV, k = 5: Lower bound"]
    with in_chinese():
        assert list(map(_, stages)) == ["MDAV，k = 5：下界"]
