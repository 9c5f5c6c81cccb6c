"""Methods follow the table while nobody has chosen them; choices per column stay."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dashboard.readers.work_kinds import read_table_and_proposals
from dashboard.state.new_tables import carry_over
from dashboard.state.new_tables.carry_over import (
    ColumnChoices,
    methods_for_new_table,
    recommended_methods,
)
from dashboard.state.new_tables.new_table import copy_with_sample, copy_with_table
from dashboard.state.snapshots.snapshot import Upload
from dashboard.state.workspace import (
    Workspace,
    copy_with_changes,
    make_plan,
    resolve_plans,
)
from engine.analysis.protect.column_dependencies import resolve_column_dependencies
from engine.data.kinds import Kind, Role
from engine.data.propose import exposure_warnings
from engine.data.schema import Schema
from engine.files import read_table
from engine.methods import default, methods
from engine.methods.default import DEFAULT_MIXED_METHODS, DEFAULT_NUMERIC_METHODS
from engine.pipeline.run import run

MIXED = DEFAULT_MIXED_METHODS


def people(**columns):
    frame = pd.DataFrame(
        {
            "age": [31, 45, 27, 61, 52, 38, 44] * 3,
            "income": [3.5, 1.2, 8.8, 2.1, 2.2, 3.0, 9.9] * 3,
            "sex": ["f", "m", "m"] * 7,
            "town": ["N", "S", "E"] * 7,
        }
        | columns
    )
    table = read_table(frame)
    roles = dict.fromkeys(("age", "income"), Role.QUASI_IDENTIFIER)
    others = dict.fromkeys(set(frame) - set(roles), Role.OTHER)
    return table.assign(roles=roles | others)


def with_sex(table):
    return table.assign(roles={"sex": "quasi-identifier"})


def test_methods_of_both_sorts_are_recommended_where_there_are_categories():
    families = {methods.info(name).family == "mixed" for name in MIXED}
    assert families == {True, False}
    assert (
        recommended_methods(None)
        == recommended_methods(people())
        == DEFAULT_NUMERIC_METHODS
    )
    assert recommended_methods(with_sex(people())) == MIXED
    assert recommended_methods(people().assign(kinds={"age": "nominal"})) == MIXED


def test_methods_that_nobody_chose_follow_the_roles_and_back():
    ws = copy_with_changes(Workspace(table=people()), table=with_sex(people()))
    assert ws.methods == MIXED
    assert copy_with_changes(ws, table=people()).methods == DEFAULT_NUMERIC_METHODS


def test_chosen_methods_stay_whatever_the_roles():
    ws = Workspace(table=people(), methods=("mdav",))
    assert copy_with_changes(ws, table=with_sex(people())).methods == ("mdav",)
    assert methods_for_new_table(MIXED, people(), people()) == MIXED


def test_samples_open_with_methods_that_can_take_them():
    ws = copy_with_sample(Workspace(), "hospital_discharges")
    assert ws.methods == MIXED
    assert copy_with_sample(ws, "business_survey").methods == MIXED


def test_choices_for_columns_become_part_of_the_plans():
    ws = Workspace(
        table=with_sex(people()),
        methods=("mdav-mixed",),
        missing_columns={"sex": "keep"},
        aggregations={"age": "interval"},
        interval_columns=True,
        small_strata="merge",
        blocks=(("age", "sex"),),
    )
    plan = resolve_plans(ws)[0]
    assert plan.missing_columns == {"sex": "keep"}
    assert plan.aggregations == {"age": "interval", "income": "mean", "sex": "mode"}
    assert plan.interval_columns
    assert plan.small_strata == "merge"
    assert plan.blocks == (("age", "sex"), ("income",))


def test_choices_for_columns_wait_while_the_columns_are_not_protected():
    ws = Workspace(
        table=people(),
        methods=("mdav",),
        missing_columns={"sex": "keep"},
        aggregations={"sex": "mode", "age": "median"},
        blocks=(("sex", "town"), ("age",)),
    )
    plan = resolve_plans(ws)[0]
    assert plan.missing_columns == {}
    assert plan.aggregations == {"age": "median", "income": "mean"}
    assert plan.blocks == (("age",), ("income",))
    mixed_plan = resolve_plans(
        replace(ws, table=with_sex(people()), methods=("mdav-mixed",))
    )[0]
    assert mixed_plan.missing_columns == {"sex": "keep"}
    assert mixed_plan.blocks == (("sex",), ("age",), ("income",))


def test_a_common_value_that_a_new_kind_does_not_have_is_left_out():
    table = people().assign(kinds={"age": Kind.NOMINAL})
    choices = ColumnChoices({"aggregations": {"age": "median", "income": "median"}}, ())
    assert choices.applicable_to(table).aggregations == {"income": "median"}


@pytest.mark.parametrize("gone", ["sex", "age"])
def test_a_corrected_file_keeps_choices_and_says_which_no_longer_apply(gone):
    ws = Workspace(
        table=with_sex(people()),
        missing_columns={"sex": "keep", "age": "drop"},
        aggregations={"age": "interval"},
        blocks=(("sex",), ("age", "income")),
    )
    frame = people().frame.drop(columns=gone)
    new = copy_with_table(ws, read_table(frame), None)
    note = next(note for note in new.notes if "single columns" in note)
    assert f"{gone!r} is not in the new file" in note
    assert gone not in {*new.missing_columns, *new.aggregations, *sum(new.blocks, ())}
    if gone == "sex":
        assert new.missing_columns == {"age": "drop"}
        assert new.aggregations == {"age": "interval"}
        assert new.blocks == (("age", "income"),)
        assert new.methods == DEFAULT_NUMERIC_METHODS
    whole = copy_with_table(ws, people(), None)
    assert whole.missing_columns == {"sex": "keep", "age": "drop"}
    assert not any("single columns" in note for note in whole.notes)


def test_totals_are_bound_to_their_parts_while_all_of_them_are_protected():
    rng = np.random.default_rng(5)
    net, tax = rng.lognormal(8, 0.5, (2, 200)).round(2)
    frame = pd.DataFrame({"net": net, "tax": tax, "gross": (net + tax).round(2)})
    content = frame.to_csv(index=False).encode()
    table, proposed = read_table_and_proposals(content, None, "pay.csv")
    table, proposed = resolve_column_dependencies(table, proposed)
    rule = "net + tax = gross"
    ws = copy_with_table(Workspace(), table, Upload("pay.csv", content))
    assert make_plan(ws, "mdav", 5).constraints == (rule,)
    released = run(make_plan(ws, "mdav", 5), ws.table).release.frame
    assert ((released["net"] + released["tax"]).round(2) == released["gross"]).all()
    assert make_plan(ws, "kaca", 5).constraints == ()  # it releases no numbers
    without = replace(ws, table=ws.table.assign(roles={"tax": Role.IDENTIFIER}))
    assert make_plan(without, "mdav", 5).constraints == ()
    ws = replace(ws, constraints=("net >= 0",))  # removed, and another one written
    new_workspace = copy_with_table(ws, table, ws.upload)
    assert new_workspace.constraints == ("net >= 0",)
    other = read_table(frame.drop(columns=["net"]).assign(rest=1.5 * tax))
    notes = copy_with_table(replace(ws, constraints=(rule,)), other, None).notes
    assert not any("rule" in note for note in notes)


def test_no_rule_names_a_total_that_is_proposed_to_be_left_out():
    rng = np.random.default_rng(4)
    d, a = rng.integers(100, 1000, (2, 400))
    e = rng.integers(1000, 3000, 400).astype(float)
    total = e + d
    e[:20] = np.nan
    frame = pd.DataFrame({"e": e, "d": d, "sum": total, "a": a, "b": total - a})
    frame["same"] = frame["sum"]
    table, proposed = read_table_and_proposals(
        frame.to_csv(index=False).encode(), None, "sums.csv"
    )
    schema = resolve_column_dependencies(table, proposed)[0].schema
    named = {word for rule in schema.constraints for word in rule.split()}
    assert named - {"+", "=", "<="} <= {*schema.quasi_identifiers}


def test_no_confidential_column_is_proposed_to_tell_a_protected_one():
    rng = np.random.default_rng(5)
    dose = rng.integers(0, 4, 400)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 400),
            "treatment": np.array(["none", "low", "medium", "high"])[dose],
            "sex": np.where(dose > 1, "f", "m"),
        }
    )
    content = frame.to_csv(index=False).encode()
    table, proposed = read_table_and_proposals(content, None, "trial.csv")
    assert table.schema["treatment"].role is Role.CONFIDENTIAL
    (warning,) = exposure_warnings(table.schema)
    assert str(warning) == (
        "Column 'treatment' leaves as it is and tells of what is protected (sex): "
        "give all of them one role."
    )
    table, proposed = resolve_column_dependencies(table, proposed)
    assert table.schema["treatment"].role is Role.QUASI_IDENTIFIER
    (treatment_proposal,) = (
        proposal for proposal in proposed if proposal.column.name == "treatment"
    )
    assert treatment_proposal.column == table.schema["treatment"]
    assert str(treatment_proposal.reason).endswith(
        "it would tell sex: it is protected as well."
    )
    assert not any(exposure_warnings(table.schema))


def test_the_finest_of_what_leaves_leads_and_leads_again_when_it_comes_back():
    town = np.random.default_rng(3).integers(0, 60, 600)
    frame = pd.DataFrame(
        {
            "state": np.array(["north", "south", "west"])[town // 20],
            "town": town.astype(str),
            "district": [f"district {number}" for number in town // 5],
        }
    )
    table = read_table(frame, roles=dict.fromkeys(frame, "quasi-identifier"))
    ws = copy_with_table(Workspace(), table, Upload("places.csv", b"..."))
    assert make_plan(ws, "kaca", 5).follows == {"state": "town", "district": "town"}
    costly = replace(table, schema=table.schema.leave_out_costly({"town"}))
    without = replace(ws, table=costly)
    assert make_plan(without, "kaca", 5).follows == {"state": "district"}
    schema = Schema.from_json(costly.schema.to_json())
    assert schema.followers == {"state": "district"}
    back = replace(ws, table=costly.assign(roles={"town": "quasi-identifier"}))
    assert make_plan(back, "kaca", 5).follows == {"state": "town", "district": "town"}


@pytest.mark.parametrize("changed", [False, True])
def test_following_that_was_undone_stays_so_where_the_columns_are_read_alike(changed):
    age = np.random.default_rng(3).integers(18, 90, 300)
    frame = pd.DataFrame({"age": age, "group": np.where(age < 65, "young", "old")})
    upload = Upload("ages.csv", b"...")
    ws = copy_with_table(Workspace(), read_table(frame), upload)
    assert ws.table.schema["group"].follows == ("age",)
    columns = tuple(replace(column, follows=()) for column in ws.table.schema.columns)
    schema = replace(ws.table.schema, columns=columns)
    ws = replace(ws, table=replace(ws.table, schema=schema))
    if changed:  # other codes for missing values, say
        frame.loc[0, ["age", "group"]] = frame.loc[1, ["age", "group"]] = [50, "young"]
    new_workspace = copy_with_table(ws, read_table(frame), upload)
    assert new_workspace.table.schema["group"].follows == (("age",) if changed else ())


@pytest.mark.parametrize("said", [None, Kind.ORDINAL])
def test_a_kind_that_nobody_said_is_proposed_anew_with_codes_read_as_missing(said):
    rng = np.random.default_rng(7)
    values = [*rng.normal(130, 16, 400).round().astype(int), *[999] * 20]
    frame = pd.DataFrame({"RR syst": values, "sex": ["f", "m"] * 210})
    upload = Upload("wards.csv", b"...")
    ws = copy_with_table(Workspace(), read_table(frame), upload)
    assert ws.table.schema["RR syst"].kind is Kind.NOMINAL  # with a gap, as codes have
    if said is not None:
        ws = replace(ws, table=ws.table.assign(kinds={"RR syst": said}))
    frame["RR syst"] = frame["RR syst"].astype("Int64").replace(999, pd.NA)
    new_workspace = copy_with_table(ws, read_table(frame), upload)
    assert new_workspace.table.schema["RR syst"].kind is (said or Kind.CONTINUOUS)


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_slow_methods_give_way_to_the_one_for_many_records(monkeypatch, kind):
    table = people() if kind == "numbers" else with_sex(people())
    usual = recommended_methods(table)
    slow = usual[1]
    assert slow != default.DEFAULT_LARGE_METHOD

    def seconds(plan, table, with_bound):
        return carry_over.MAX_RECOMMENDED_SECONDS if plan.method == slow else 0.01

    monkeypatch.setattr(carry_over, "expected_seconds", seconds)
    method_names = recommended_methods(table)
    assert set(method_names) == {*usual, default.DEFAULT_LARGE_METHOD} - {slow}
    monkeypatch.setattr(carry_over, "MAX_RECOMMENDED_SECONDS", 0.0)
    assert recommended_methods(table) == (default.DEFAULT_LARGE_METHOD,)


def test_one_method_is_recommended_for_very_many_records(monkeypatch):
    monkeypatch.setattr(default, "MAX_DEFAULT_RECORDS", 20)
    table = people()
    assert table.n_records == 21
    assert recommended_methods(table) == ("blocked",)
    assert recommended_methods(with_sex(table)) == ("blocked",)
    assert copy_with_changes(Workspace(), table=table).methods == ("blocked",)
    workspace = copy_with_changes(Workspace(methods=("mdav",)), table=table)
    assert workspace.methods == ("mdav",)
    monkeypatch.setattr(default, "MAX_DEFAULT_RECORDS", 21)
    assert recommended_methods(table) == DEFAULT_NUMERIC_METHODS


def test_a_product_of_an_undecided_factor_is_proposed_to_be_left_out():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"urban": rng.integers(0, 2, 400)})
    frame["educ"] = rng.integers(0, 20, 400)
    frame["urb_educ"] = frame["urban"] * frame["educ"]
    table, proposed = read_table_and_proposals(
        frame.to_csv(index=False).encode(), None, "survey.csv"
    )
    assert table.schema["urban"].role is Role.UNDECIDED
    schema = resolve_column_dependencies(table, proposed)[0].schema
    assert schema["urb_educ"].role is Role.IDENTIFIER
    assert schema["urban"].role is Role.UNDECIDED
