"""Missing values: what is settled, and where too few records lack the same."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dashboard.state.workspace import Workspace, resolve_plans
from dashboard.ui.table import table_health
from dashboard.ui.table.missing_values import (
    cannot_keep_reason,
    columns_without_policy,
    effects_of_policies,
    policy_by_column,
    policy_text,
)
from dashboard.ui.table.table_health import TableInspection
from dashboard.ui.table.table_health import table_health as examine
from engine.core.errors import EngineError, InfeasibleError
from engine.data.kinds import Role
from engine.files import read_table
from engine.pipeline.run import run


def gappy():
    """Return 40 records: 30 whole, 6 without a, 3 without b, 1 without both."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    frame["row"] = range(40)  # a row without any value is no record
    frame.loc[30:35, "a"] = np.nan
    frame.loc[36:38, "b"] = np.nan
    frame.loc[39, ["a", "b"]] = np.nan
    roles = dict.fromkeys("ab", Role.QUASI_IDENTIFIER) | {"row": Role.OTHER}
    return read_table(frame).assign(roles=roles)


def chosen(missing="refuse", sizes=(3,), blocks=(), **columns):
    return Workspace(
        table=gappy(),
        methods=("mdav",),
        sizes=sizes,
        missing=missing,
        blocks=blocks,
        missing_columns=columns,
    )


def test_records_are_counted_by_what_they_lack():
    health = examine(gappy())
    assert health.patterns == {(): 30, ("a",): 6, ("b",): 3, ("a", "b"): 1}
    assert health.n_affected == 10
    assert health.missing == {"a": (7, 31), "b": (4, 37)}


def test_a_column_is_settled_by_its_own_choice_or_that_for_all():
    health = examine(gappy())
    assert columns_without_policy(chosen(), health) == ["a", "b"]
    assert columns_without_policy(chosen(a="drop"), health) == ["b"]
    assert columns_without_policy(chosen("median"), health) == []
    assert policy_by_column(chosen("median", b="keep"), health) == {
        "a": "median",
        "b": "keep",
    }


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"missing": "keep"}, "1 record lacks exactly 'a' and 'b'"),
        ({"missing": "keep-or-fill", "sizes": (3, 5)}, ""),
        ({"missing": "drop", "b": "keep"}, ""),
        ({"missing": "mode", "b": "keep", "sizes": (5, 3)}, ""),
        ({"missing": "mode", "b": "keep", "sizes": (5,)}, "4 records lack exactly 'b'"),
        ({"missing": "mode", "a": "keep", "sizes": (5,)}, ""),
        ({"missing": "median"}, ""),
        ({"missing": "keep", "blocks": (("a",),)}, ""),
        ({"missing": "keep", "blocks": (("a",),), "sizes": (5,)}, "lack exactly 'b'"),
    ],
)
def test_too_few_that_lack_the_same_are_said_before_the_run_says_so(choices, says):
    ws = chosen(**choices)
    reason = cannot_keep_reason(ws, examine(gappy()))
    assert says in reason
    assert bool(reason) == bool(says)
    plan = resolve_plans(ws)[-1]
    if says:
        with pytest.raises(InfeasibleError):
            run(plan, gappy())
    else:
        assert run(plan, gappy()).partition.n_records > 0


@pytest.mark.parametrize("sizes", [(3,), (3, 10), (10,)])
@pytest.mark.parametrize("missing", ["keep", "keep-or-fill", "median", "drop"])
def test_gaps_do_not_stay_where_households_are_grouped_whole(missing, sizes):
    frame = gappy().frame.assign(home=[f"home {i}" for i in range(40)])
    table = read_table(frame).assign(
        roles=dict.fromkeys("ab", Role.QUASI_IDENTIFIER) | {"home": Role.IDENTIFIER}
    )
    usual = Workspace(table=table, methods=("mdav",), sizes=sizes, household="home")
    ws = replace(usual, missing=missing)
    reason = cannot_keep_reason(ws, examine(table))
    for plan in resolve_plans(ws)[:1]:  # the least k, by which most gaps stay
        if reason:
            with pytest.raises(EngineError):
                run(plan, table)
        else:
            assert run(plan, table).partition.n_records > 0


@pytest.mark.parametrize("sizes", [(3,), (4, 5), (20,)])
def test_each_way_says_what_a_run_then_does(sizes):
    ws, health = chosen(sizes=sizes), examine(gappy())
    effects = effects_of_policies(ws, health)
    for name, way in effects.items():
        plan = resolve_plans(chosen(name, sizes=(max(sizes),)))[0]
        if not way.possible:
            with pytest.raises(InfeasibleError):
                run(plan, gappy())
            continue
        release = run(plan, gappy()).release.frame
        assert len(release) == way.records
        assert release[["a", "b"]].isna().sum().sum() == way.kept
        lacked = gappy().frame.loc[release.index].isna().sum().sum()
        assert lacked - way.kept == way.filled
    assert "30 of 40 remain" in policy_text("drop", effects, 40)


@pytest.mark.parametrize("person", ["none", ("who",)])
@pytest.mark.parametrize("knows", ["one", "all"])
def test_each_way_says_what_a_run_does_in_strata(person, knows, monkeypatch):
    monkeypatch.setattr(table_health, "inspect_table", TableInspection)
    rng = np.random.default_rng(6)
    half = np.arange(80) % 2
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    frame.loc[rng.random(80) < 0.06, "a"] = np.nan
    some = (half == 1) | (np.arange(80) < 20)
    frame.loc[(rng.random(80) < 0.2) & some, "b"] = np.nan
    frame = frame.assign(half=half, who=np.arange(80) // 4)
    table = read_table(frame).assign(roles=dict.fromkeys("ab", Role.QUASI_IDENTIFIER))
    ws = Workspace(
        table=table,
        methods=("mdav",),
        sizes=(4,),
        strata="half",
        person=person,
        intruder_knows=knows,
    )
    way = effects_of_policies(ws, examine(table))["keep-or-fill"]
    effects_without_strata = effects_of_policies(
        replace(ws, strata=None), examine(table)
    )
    plan = resolve_plans(replace(ws, missing="keep-or-fill"))[0]
    n_gaps = run(plan, table).release.frame[["a", "b"]].isna().sum().sum()
    assert (way.kept, way.filled) == (n_gaps, frame.isna().sum().sum() - n_gaps)
    assert way != effects_without_strata["keep-or-fill"]
