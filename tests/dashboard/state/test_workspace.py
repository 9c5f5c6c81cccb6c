"""Choices survive new data as far as they make sense; results never outlive them."""

from dataclasses import replace
from types import MappingProxyType

import pandas as pd
import pytest

import sample_data
from dashboard.state.caches import memo
from dashboard.state.new_tables.new_table import copy_with_sample, copy_with_table
from dashboard.state.results.job_results import copy_with_results
from dashboard.state.results.requested import (
    requested_outcomes,
    requested_results,
    results_for_plans,
    selected_or_recommended_outcome,
)
from dashboard.state.workspace import (
    Workspace,
    resolve_plans,
    reuse_resolved_plans_in_place,
)
from engine.core.errors import ParameterError
from engine.data.kinds import Kind, Role
from engine.data.table import Table
from engine.files import read_table
from engine.hierarchy import flat_hierarchy
from engine.pipeline.compare import Failure
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.recommend import recommend_outcome
from engine.pipeline.run import run


def table(**changes: object) -> Table:
    columns: dict[str, object] = {
        "name": ["a", "b", "c", "d", "e", "f", "g"],
        "age": [31, 45, 27, 61, 52, 38, 44],
        "income": [3.5, 1.2, 8.8, 2.1, 2.2, 3.0, 9.9],
        "region": ["N", "S", "N", "S", "N", "S", "N"],
    }
    columns.update(changes)
    frame = pd.DataFrame({k: v for k, v in columns.items() if v is not None})
    return read_table(frame)


@pytest.fixture
def ws() -> Workspace:
    chosen = table().assign(
        roles={
            "name": Role.IDENTIFIER,
            "age": Role.QUASI_IDENTIFIER,
            "income": Role.QUASI_IDENTIFIER,
            "region": Role.CONFIDENTIAL,
        },
        kinds={"age": Kind.ORDINAL},
    )
    return Workspace(
        table=chosen,
        sizes=(2, 3),
        methods=("mdav", "md"),
        seed=7,
        scaling="range",
        aggregation="median",
    )


def done(ws: Workspace, *asked: Plan) -> Workspace:
    assert ws.table is not None
    results = {i: run(plan, ws.table) for i, plan in enumerate(asked)}
    return copy_with_results(ws, ws.table, asked, results)


# Plans


def test_plans_carry_every_choice(ws: Workspace) -> None:
    ws = replace(
        ws,
        missing="drop",
        strata="region",
        constraints=("age = income",),
        methods=("vmdav", "mdav"),
        parameters=MappingProxyType({"vmdav": {"gamma": 0.5}, "other": {"x": 1}}),
    )
    plans = resolve_plans(ws)
    assert [(plan.method, plan.k) for plan in plans] == [
        ("vmdav", 2),
        ("vmdav", 3),
        ("mdav", 2),
        ("mdav", 3),
    ]
    for plan in plans:
        assert plan.quasi_identifiers == ("age", "income")
        assert plan.identifiers == ("name",)
        assert plan.confidential == ("region",)
        assert (plan.seed, plan.scaling, plan.aggregation) == (7, "range", "median")
        assert (plan.missing, plan.strata) == ("drop", "region")
        assert plan.constraints == ("age = income",)
    assert plans[0].parameters["gamma"] == 0.5


def test_ranks_become_ranks_of_the_file_unless_somebody_chose_otherwise() -> None:
    hours = table(age=[20, 30, 40, 40, 20, 40, 30]).assign(
        roles={"name": "identifier", "age": "quasi-identifier"},
        kinds={"age": Kind.ORDINAL},
    )
    ws = Workspace(table=hours, methods=("mdav", "kaca"), sizes=(3,))
    rules = {plan.method: plan.aggregations["age"] for plan in resolve_plans(ws)}
    assert rules == {"mdav": "low-median", "kaca": "interval"}
    ws = replace(ws, aggregations=MappingProxyType({"age": "mean"}))
    assert [plan.aggregations["age"] for plan in resolve_plans(ws)] == ["mean"] * 2


@pytest.mark.parametrize("missing", ["table", "sizes", "methods"])
def test_without_a_table_a_k_or_a_method_there_are_no_plans(
    ws: Workspace, missing: str
) -> None:
    empty = None if missing == "table" else ()
    assert resolve_plans(replace(ws, **{missing: empty})) == ()
    assert dict(requested_results(replace(ws, **{missing: empty}))) == {}


def test_a_choice_out_of_range_is_an_error_and_has_no_results(ws: Workspace) -> None:
    wrong = replace(ws, parameters={"mdav": {"nonsense": 1}})
    with pytest.raises(ParameterError, match="nonsense"):
        resolve_plans(wrong)
    assert dict(requested_results(wrong)) == {}


# Results


def test_results_are_those_that_the_choices_ask_for(ws: Workspace) -> None:
    plans = resolve_plans(ws)
    ws = done(ws, *plans[:3])
    assert list(requested_results(ws)) == list(plans[:3])
    assert list(requested_results(replace(ws, methods=("mdav",)))) == list(plans[:2])
    back = replace(replace(ws, methods=("md",)), methods=("mdav", "md"))
    assert list(requested_results(back)) == list(plans[:3])


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 8},
        {"scaling": "zscore"},
        {"aggregation": "mean"},
        {"missing": "drop"},
        {"strata": "region"},
        {"sizes": (4,)},
        {"methods": ("mdav1",)},
    ],
)
def test_results_of_other_choices_do_not_apply(
    ws: Workspace, change: dict[str, object]
) -> None:
    ws = done(ws, *resolve_plans(ws))
    assert len(requested_results(ws)) == 4
    assert len(requested_results(replace(ws, **change))) == 0


def test_results_of_other_roles_kinds_or_values_do_not_apply(ws: Workspace) -> None:
    ws = done(ws, *resolve_plans(ws))
    assert ws.table is not None
    for other in (
        ws.table.assign(roles={"income": Role.OTHER}),
        ws.table.assign(roles={"name": Role.OTHER}),
        ws.table.assign(kinds={"age": Kind.CONTINUOUS}),
        replace(table(age=[31, 45, 27, 61, 52, 38, 45]), schema=ws.table.schema),
    ):
        assert len(requested_results(replace(ws, table=other))) == 0
    same = replace(table(), schema=ws.table.schema)
    assert len(requested_results(replace(ws, table=same))) == 4


def test_failures_are_remembered_but_are_no_outcomes(ws: Workspace) -> None:
    assert ws.table is not None
    first, second, *_ = resolve_plans(ws)
    failure = Failure(first, "No.")
    ws = copy_with_results(ws, ws.table, (first,), {0: failure})
    assert requested_results(ws)[first] is failure
    assert requested_outcomes(ws) == ()
    assert selected_or_recommended_outcome(ws) is None
    ws = done(ws, second)
    assert len(requested_results(ws)) == 2
    assert [outcome.plan for outcome in requested_outcomes(ws)] == [second]


def test_the_selected_result_is_the_chosen_one_while_it_applies(ws: Workspace) -> None:
    ws = done(ws, *resolve_plans(ws))
    best = recommend_outcome(requested_outcomes(ws))
    assert best is not None
    first, _, third, _ = resolve_plans(ws)
    recommended = best.outcome.plan
    cases = ((None, recommended), (third, third), (Plan(k=9), recommended))
    for chosen, expected in cases:
        outcome = selected_or_recommended_outcome(replace(ws, chosen=chosen))
        assert outcome is not None
        assert outcome.plan == expected
    outcome = selected_or_recommended_outcome(
        replace(ws, chosen=first, methods=("md",), sizes=(third.k,))
    )
    assert outcome is not None
    assert outcome.plan == third


def test_collecting_the_same_results_again_changes_nothing(ws: Workspace) -> None:
    assert ws.table is not None
    ws = done(ws, *resolve_plans(ws))
    results = dict(enumerate(requested_results(ws).values()))
    assert copy_with_results(ws, ws.table, resolve_plans(ws), results) is ws


def test_old_results_are_forgotten_first_and_asked_ones_never(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memo, "MAX_RESULTS", 6)
    old = [replace(ws, seed=seed, methods=("mdav",)) for seed in (1, 2, 3)]
    for choice in old:
        ws = replace(
            done(replace(ws, seed=choice.seed), *resolve_plans(choice)), seed=7
        )
    assert len(ws.memo) == 6
    ws = done(ws, *resolve_plans(ws)[:2])
    assert len(ws.memo) == 6
    result_counts = [
        len(requested_results(replace(ws, seed=seed))) for seed in (1, 2, 3)
    ]
    assert result_counts == [0, 2, 2]
    assert len(requested_results(ws)) == 2
    monkeypatch.setattr(memo, "MAX_UNREQUESTED_BYTES", 1)
    ws = done(ws, *resolve_plans(ws)[2:3])
    assert len(ws.memo) == 3
    assert len(requested_results(ws)) == 3


def test_results_on_another_table_are_found_and_change_nothing(ws: Workspace) -> None:
    other = table(age=[1, 2, 3, 4, 5, 6, 9])
    plans = tuple(Plan(method="mdav", k=k, quasi_identifiers=("age",)) for k in (2, 3))
    results = {1: run(plans[1], other)}
    after = copy_with_results(ws, other, plans, results)
    assert results_for_plans(after, other, plans) == {plans[1]: results[1]}
    assert not requested_results(after)
    assert after.table is ws.table
    assert ws.table is not None
    assert not results_for_plans(after, ws.table, plans)


# New data


def test_a_column_that_went_or_came_is_told(ws: Workspace) -> None:
    after = copy_with_table(
        replace(ws, strata="region", constraints=("age = 2*income", "age = 1")),
        table(income=None, region=None, height=[1.5, 1.6, 1.7, 1.8, 1.9, 1.7, 1.6]),
        None,
    )
    assert after.table is not None
    assert after.table.schema["age"].role is Role.QUASI_IDENTIFIER
    assert after.table.schema["age"].kind is Kind.ORDINAL
    assert after.strata is None
    assert after.constraints == ("age = 1",)
    notes = " ".join(after.notes)
    for words in (
        "Not in the new file: 'income' (quasi-identifier), 'region' (confidential)",
        "proposed role: 'height'",
        "'region', the column of the strata",
        "The rule 'age = 2*income'",
    ):
        assert words in notes


def test_a_number_that_became_text_is_told(ws: Workspace) -> None:
    after = copy_with_table(ws, table(income=["1", "2", "x", "4", "5", "6", "7"]), None)
    assert after.table is not None
    assert after.table.schema["income"].kind is not Kind.CONTINUOUS
    assert after.table.schema["income"].role is Role.QUASI_IDENTIFIER
    assert "Column 'income' was continuous and is" in after.notes[0]


def test_hierarchies_stay_and_what_they_lack_is_told(ws: Workspace) -> None:
    assert ws.table is not None
    tree = flat_hierarchy(["N", "S"])
    ws = replace(ws, table=ws.table.assign(hierarchies={"region": tree}))
    new_workspace = copy_with_table(ws, table(), None)
    assert new_workspace.table is not None
    assert new_workspace.table.schema["region"].hierarchy == tree
    assert new_workspace.notes == ()
    changed = table(region=["N", "S", "N", "S", "N", "S", "W"])
    later = copy_with_table(ws, changed, None)
    assert later.table is not None
    assert later.table.schema["region"].hierarchy == tree
    assert len(later.notes) == 1
    assert "'region' does not have the value 'W'" in later.notes[0]


def test_an_unrelated_file_starts_afresh(ws: Workspace) -> None:
    frame = pd.DataFrame({"age": ["x", "y"], "p": [1.0, 2], "q": [1, 2], "r": [3, 4]})
    other = read_table(frame)
    after = copy_with_table(ws, other, None)
    assert after.table is not None
    assert after.table.schema == other.schema
    assert after.notes == ()
    assert after.methods == ws.methods


def test_a_sample_brings_its_own_roles(ws: Workspace) -> None:
    after = copy_with_sample(ws, "expenditure")
    assert after.table is not None
    assert after.table.schema == sample_data.load("expenditure").schema
    assert after.sample == "expenditure"
    assert after.upload is None
    assert after.sizes == ws.sizes
    with pytest.raises(ParameterError, match="no sample"):
        copy_with_sample(ws, "nonsense")


def test_a_release_of_another_table_is_not_chosen_any_more(ws: Workspace) -> None:
    ws = done(ws, *resolve_plans(ws))
    ws = replace(ws, chosen=resolve_plans(ws)[0])
    assert isinstance(selected_or_recommended_outcome(ws), Outcome)
    assert copy_with_table(ws, table(age=[1, 2, 3, 4, 5, 6, 7]), None).chosen is None


def test_a_workspace_cannot_be_changed_in_place(ws: Workspace) -> None:
    with pytest.raises(AttributeError):
        ws.seed = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        ws.memo["a"] = None  # type: ignore[index]


def test_plans_are_resolved_anew_only_where_they_depend_on_what_changed() -> None:
    before = copy_with_sample(Workspace())
    assert before.table is not None
    known_plans, fewer = (
        before.requested_plans,
        before.table.assign(roles={"region": Role.OTHER}),
    )
    looked = reuse_resolved_plans_in_place(
        before, replace(before, focus=3, risk_axis="other")
    )
    assert all(
        pair is two
        for pair, two in zip(looked.requested_plans, known_plans, strict=True)
    )
    more = reuse_resolved_plans_in_place(looked, replace(looked, sizes=(3, 4, 5, 10)))
    assert [pair for pair in more.requested_plans if pair[0].k != 4] == list(
        known_plans
    )
    assert {id(pair) for pair in known_plans} < {
        id(pair) for pair in more.requested_plans
    }
    for change in ({"sizes": (4,)}, {"scaling": "range"}, {"table": fewer}):
        after = replace(before, **change)
        assert (
            reuse_resolved_plans_in_place(before, after).requested_plans
            == after.requested_plans
        )
        assert after.requested_plans != known_plans
