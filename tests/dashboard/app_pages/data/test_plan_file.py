"""A plan that was carried out comes back whole, or what is lost is said."""

import json
from dataclasses import replace

import pytest

import sample_data
from dashboard.app_pages.data.plan_file import copy_with_plan_and_notes
from dashboard.i18n.text_measures import PLAN_WHOLE
from dashboard.state.new_tables.new_table import copy_with_sample
from dashboard.state.workspace import Workspace, resolve_plans
from engine.data.kinds import Kind, Role
from engine.hierarchy import flat_hierarchy
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from tests.dashboard.pages import (
    labelled,
    open_page,
    small_table,
    texts,
    with_table,
    workspace,
)


def mixed_table():
    return small_table(missing=4).assign(
        roles={"region": "quasi-identifier", "debt": "weight"},
        kinds={"size": "ordinal"},
    )


def with_tree(table):
    return table.assign(hierarchies={"region": flat_hierarchy(table.frame["region"])})


CHOICES = [
    (small_table(), {}),
    (
        small_table(),
        {
            "methods": ("vmdav",),
            "sizes": (7,),
            "parameters": {"vmdav": {"gamma": 0.4}},
            "polish": True,
            "scaling": "range",
            "aggregation": "median",
            "rounding": "precision",
            "p_sensitive": 2,
            "t_close": 0.3,
            "seed": 12,
        },
    ),
    (
        small_table(),
        {
            "methods": ("mdav",),
            "strata": "region",
            "small_strata": "merge",
            "constraints": ("size <= 5000",),
            "aggregations": {"sales": "median"},
            "blocks": (("sales",),),
        },
    ),
    (
        with_tree(mixed_table()),
        {
            "methods": ("caat",),
            "missing": "mode",
            "missing_columns": {"sales": "median"},
            "aggregations": {"size": "median"},
            "interval_columns": True,
        },
    ),
]


@pytest.mark.parametrize(("table", "choices"), CHOICES)
def test_a_plan_restores_every_choice_on_the_table_as_it_was_read(table, choices):
    before = Workspace(table=table, **({"methods": ("mdav",), "sizes": (3,)} | choices))
    plan = resolve_plans(before)[-1]
    bare = small_table(missing=4 if choices.get("missing") else 0)
    # Other choices, other roles and kinds: all of them must give way.
    other = bare.assign(roles={"name": "confidential", "size": "other"})
    now = Workspace(
        table=other,
        methods=("md", "ldf"),
        sizes=(4,),
        scaling="none",
        missing="drop",
        strata=None,
        seed=99,
    )
    restored_ws, notes = copy_with_plan_and_notes(now, Plan.from_json(plan.to_json()))
    assert notes == ()
    last = resolve_plans(replace(restored_ws, polish=plan.polish))[-1]
    assert last == plan
    assert restored_ws.chosen in resolve_plans(restored_ws)


def test_a_plan_from_a_sample_of_people_comes_back_with_its_hierarchies():
    before = copy_with_sample(
        Workspace(methods=("caat",), sizes=(3,)), "hospital_discharges"
    )
    before = replace(before, methods=("caat",), missing="median")
    (plan,) = resolve_plans(before)
    assert plan.hierarchies
    bare = sample_data.load("hospital_discharges")
    bare = bare.assign(
        roles=dict.fromkeys(bare.schema.names, Role.OTHER),
        hierarchies=dict.fromkeys(bare.schema.names),
    )
    restored_ws, notes = copy_with_plan_and_notes(Workspace(table=bare), plan)
    assert notes == ()
    assert resolve_plans(restored_ws) == (plan,)
    assert restored_ws.table.schema["sex"].role is before.table.schema["sex"].role


def test_columns_that_are_not_there_are_named_with_their_roles():
    table = small_table()
    plan = Plan(
        quasi_identifiers=("size", "height"),
        identifiers=("passport",),
        kinds={"height": Kind.ORDINAL},
        strata="county",
        blocks=(("height",),),
        constraints=("height >= 0",),
    )
    restored_ws, notes = copy_with_plan_and_notes(Workspace(table=table), plan)
    assert "'height' (quasi-identifier), 'passport' (identifier)" in notes[0]
    assert "'county' (strata)" in notes[0]
    assert any("'height >= 0'" in note for note in notes)
    assert restored_ws.table.schema.quasi_identifiers == ("size",)
    assert (restored_ws.strata, restored_ws.blocks, restored_ws.constraints) == (
        None,
        (),
        (),
    )


def test_what_does_not_fit_a_column_is_said():
    table = small_table().assign(
        hierarchies={"region": flat_hierarchy(["north", "west"])}
    )
    plan = Plan(
        method="caat",
        quasi_identifiers=("size", "region", "name"),
        kinds={"name": "continuous", "region": "nominal", "size": "continuous"},
        hierarchies={"region": flat_hierarchy(["north", "west"]).rows},
        aggregations={"region": "generalise", "name": "mean"},
    )
    restored_ws, notes = copy_with_plan_and_notes(Workspace(table=table), plan)
    note_text = " ".join(notes)
    assert "'name' is continuous in the plan, but holds no numbers" in note_text
    assert "The hierarchy of 'region' does not have the value 'south'" in note_text
    assert "'name' is released by its mean in the plan" in note_text
    assert restored_ws.table.schema["name"].kind is Kind.NOMINAL


def test_another_order_of_quasi_identifiers_is_said():
    plan = Plan(quasi_identifiers=("sales", "size"))
    _, notes = copy_with_plan_and_notes(Workspace(table=small_table()), plan)
    assert "in another order" in notes[0]


def test_a_plan_that_leaves_roles_to_the_table_changes_none():
    table = small_table()
    restored_ws, notes = copy_with_plan_and_notes(
        Workspace(table=table), Plan(method="md", k=6)
    )
    assert notes == ()
    assert restored_ws.table.schema == table.schema
    assert (restored_ws.methods, restored_ws.sizes) == (("md",), (6,))


def opened(page, content):
    """Give the Data page a plan file and return what it says."""
    uploader = labelled(page.file_uploader, "Plan file")
    uploader.set_value(("plan.json", content, "application/json")).run()
    return page


def test_a_plan_is_opened_on_the_data_page_and_reaches_the_protect_page():
    page = open_page("data", with_table(small_table()))
    plan = Plan(method="cbfs", k=8, scaling="range", seed=3)
    opened(page, plan.to_json().encode())
    assert PLAN_WHOLE in page.success[0].value
    assert workspace(page).sizes == (8,)
    page.switch_page("app_pages/compare/view.py").run()
    assert "1 method × 1 value of k = 1 run" in " ".join(texts(page.markdown))
    assert resolve_plans(workspace(page)) == (
        resolve_plan(plan, workspace(page).table),
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not json", "not readable JSON"),
        (json.dumps({"method": "magic"}).encode(), "magic"),
        (json.dumps({"k": 3, "speed": 9}).encode(), "no entry called 'speed'"),
    ],
)
def test_a_file_that_is_no_plan_is_one_sentence_and_changes_nothing(content, words):
    page = open_page("data", with_table(small_table()))
    before = workspace(page)
    opened(page, content)
    assert words in page.error[0].value
    assert resolve_plans(workspace(page)) == resolve_plans(before)
