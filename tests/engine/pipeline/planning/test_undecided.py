"""Nothing that nobody has decided on leaves."""

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from engine.report import report_facts, to_script


@pytest.fixture
def table() -> Table:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=30),
            "colour": list("abc") * 10,
            "name": [f"n{i}" for i in range(30)],
            "size": rng.integers(0, 9, 30),
        }
    )
    schema = Schema(
        (
            Column("x", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Column("colour", Kind.NOMINAL),
            Column("name", Kind.NOMINAL, Role.IDENTIFIER),
            Column("size", Kind.CONTINUOUS, Role.OTHER),
        )
    )
    return Table.from_frame(frame, schema)


def test_a_column_is_undecided_until_somebody_says_what_it_is(table: Table) -> None:
    assert table.schema["colour"].role is Role.UNDECIDED
    assert Schema.from_json(table.schema.to_json()) == table.schema
    bare = '{"columns": [{"name": "x", "kind": "nominal"}]}'
    assert Schema.from_json(bare)["x"].role is Role.UNDECIDED


@pytest.mark.parametrize("identifiers", [None, (), ("name",)])
def test_an_undecided_column_does_not_leave(
    table: Table, identifiers: tuple[str, ...] | None
) -> None:
    outcome = run(Plan(k=3, identifiers=identifiers), table)
    assert "colour" not in outcome.release.frame
    assert "size" in outcome.release.frame
    (warning,) = (
        message for message in outcome.warnings if message.topic == "undecided"
    )
    assert "'colour'" in warning
    assert "'size'" not in warning
    assert "colour" not in outcome.summary()["unprotected"]
    assert outcome.summary()["unprotected"][-1] == "size"


@pytest.mark.parametrize("role", ["quasi_identifiers", "confidential"])
def test_a_plan_that_names_a_column_decides_on_it(table: Table, role: str) -> None:
    names = {"quasi_identifiers": ("x",)} | {role: ("x", "colour")[role[0] == "c" :]}
    outcome = run(Plan(k=3, method="mdav-mixed", **names), table)
    assert "colour" in outcome.release.frame
    assert all(warning.topic != "undecided" for warning in outcome.warnings)


def test_to_leave_an_undecided_column_out_changes_no_plan(table: Table) -> None:
    decided = table.assign(roles={"colour": Role.IDENTIFIER})
    assert resolve_plan(Plan(k=3), table) == resolve_plan(Plan(k=3), decided)
    resolved_plan = resolve_plan(Plan(k=3), table)
    assert resolve_plan(resolved_plan, table) == resolved_plan


def test_a_report_says_that_it_was_undecided(table: Table) -> None:
    facts = report_facts(run(Plan(k=3), table), table, audience="internal")
    lines = {line["name"]: line for line in facts["columns"]}
    assert (lines["colour"]["role"], lines["colour"]["became"]) == (
        "Undecided",
        "left out",
    )
    facts = report_facts(run(Plan(k=3), table), table, audience="external")
    assert {line["name"] for line in facts["columns"]} == {"x", "size"}


def test_a_script_says_what_somebody_decided_to_let_leave(table: Table) -> None:
    decided = table.assign(roles={"colour": Role.OTHER})
    text = to_script(run(Plan(k=3), decided), decided)
    assert "roles={'colour': 'other'" in text
