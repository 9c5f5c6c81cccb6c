"""What every list of choices says of ``colour``, a field that plans have in a copy.

Run where that copy is found instead, see :mod:`tests.test_new_choice`.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.app_pages.compare.pinned.two_figures import list_differing_choices
from dashboard.app_pages.data.plan_file import copy_with_plan_and_notes
from dashboard.projects.manifest import ChoicesPart
from dashboard.projects.project import project_to_bytes
from dashboard.projects.reader import read_project
from dashboard.projects.resume import copy_with_project
from dashboard.state.snapshots.changes import describe_changes
from dashboard.state.snapshots.restore import copy_with_snapshot, take_snapshot
from dashboard.state.workspace import Workspace, resolve_plans
from engine import ParameterError, Plan, Table, read_table, run
from engine.analysis.curves.timing import plan_fields_not_timed
from engine.cli.parsing.parser import main
from engine.pipeline.grouping.prepare import preparation_key
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.report import facts_to_html, facts_to_markdown, report_facts
from engine.report.command_line import command_line
from engine.streaming.choices import check_streaming_choices
from tests.dashboard.pages import open_page, workspace

NAMES = ("size", "sales")
TITLE, LARGEST = "Colour of the report", "Largest group of the report"


def check_options() -> None:
    line = ["run", "t.csv", "--quasi-identifiers", ",".join(NAMES), "--k", "4"]
    assert main([*line, "--colour", "blue", "--plan", "plan.json"]) == 0
    assert json.loads(Path("plan.json").read_text())["colour"] == "blue"
    assert main([*line, "--colour", "green"]) == 2


def check_engine(table: Table, red: Plan, blue: Plan) -> None:
    outcome = run(blue, table)
    assert "--colour blue" in command_line(outcome.plan, table)
    assert "--colour" not in command_line(run(red, table).plan, table)
    assert outcome.summary()["colour"] == "blue"
    facts = report_facts(outcome, table)
    assert facts["method"]["colour"] == "blue"
    assert TITLE in facts_to_html(facts)
    assert TITLE in facts_to_markdown(facts)
    assert TITLE not in facts_to_html(report_facts(outcome, table, audience="external"))
    assert preparation_key(resolve_plan(blue, table)) != preparation_key(
        resolve_plan(red, table)
    )
    large = resolve_plan(red.replace(largest=9), table)
    assert preparation_key(large) == preparation_key(resolve_plan(red, table))
    assert "largest" in plan_fields_not_timed()
    differences = list_differing_choices(red, large)
    assert ("largest group of the report: none", f"{LARGEST.lower()}: 9") in differences
    check_streaming_choices(red, 1000)
    with pytest.raises(ParameterError, match="--colour"):
        check_streaming_choices(blue, 1000)


def check_dashboard(table: Table, blue: Plan) -> None:
    plain = Workspace(table=table, methods=("mdav",), sizes=(4,))
    ws = replace(plain, colour="blue")
    assert (plain.shared_plan.colour, ws.shared_plan.colour) == ("red", "blue")
    assert [plan.colour for plan in resolve_plans(ws)] == ["blue"]
    before, after = take_snapshot(plain), take_snapshot(ws)
    assert describe_changes(before, after) == "colour of the report red → blue"
    assert copy_with_snapshot(ws, before).shared_plan.colour == "red"
    assert copy_with_plan_and_notes(plain, blue)[0].shared_plan.colour == "blue"
    content = project_to_bytes(ws, "Spring")
    assert (
        copy_with_project(Workspace(), read_project(content)).shared_plan.colour
        == "blue"
    )
    older = {name: after.choices[name] for name in ChoicesPart.model_fields}
    del older["colour"]
    thawed = json.loads(json.dumps(older, default=dict))
    assert ChoicesPart.model_validate(thawed).colour == "red"
    page = open_page("compare", plain)
    assert not page.exception
    groups = page.get("button_group")
    (widget,) = (element for element in groups if element.label == TITLE)
    widget.set_value("blue").run()
    assert workspace(page).shared_plan.colour == "blue"
    (number,) = (element for element in page.number_input if element.label == LARGEST)
    assert number.value is None
    number.set_value(7).run()
    assert workspace(page).shared_plan.largest == 7
    assert [plan.largest for plan in resolve_plans(workspace(page))] == [7]


def check() -> None:
    assert "colour" in Plan.model_fields
    rows = [f"{number * 7 % 40},{number * 13 % 90}" for number in range(40)]
    Path("t.csv").write_text("\n".join([",".join(NAMES), *rows]))
    table = read_table("t.csv", roles=dict.fromkeys(NAMES, "quasi-identifier"))
    blue = Plan(method="mdav", k=4, colour="blue")
    check_options()
    check_engine(table, blue.replace(colour="red"), blue)
    check_dashboard(table, blue)


if __name__ == "__main__":
    check()
