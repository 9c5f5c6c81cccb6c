"""An outcome without values comes back whole, where its table is, and only there."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sample_data
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import Comparison
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.storage.outcomes import facts_of
from engine.storage.snapshot import awake, checked_facts, kept

PLANS = [
    ("business_survey", Plan(method="mdav", k=4)),
    ("business_survey", Plan(method="vmdav", k=3, rounding="precision", polish=True)),
    ("business_survey", Plan(method="individual-ranking", k=5)),
    ("business_survey", Plan(method="fuzzy", k=4, seed=3)),
    ("hospital_discharges", Plan(method="caat", k=5, missing="drop")),
    ("hospital_discharges", Plan(method="mdav-mixed", k=5, missing="median")),
]


@pytest.fixture(scope="module", params=range(len(PLANS)))
def case(request):
    name, plan = PLANS[request.param]
    table = sample_data.load(name)
    if name == "hospital_discharges" or plan.method == "fuzzy":
        table = Table.from_frame(table.frame.head(400), table.schema)
    return table, run(plan, table)


def test_a_kept_outcome_comes_back_with_the_same_release(case):
    table, outcome = case
    found = awake(kept(outcome), Comparison(table))
    assert found is not None
    pd.testing.assert_frame_equal(found.release.frame, outcome.release.frame)
    np.testing.assert_array_equal(found.partition.labels, outcome.partition.labels)
    np.testing.assert_array_equal(found.release.rows, outcome.release.rows)
    assert found.plan == outcome.plan
    assert found.summary() == outcome.summary()
    assert facts_of(found) == facts_of(outcome)


def test_no_value_of_a_record_is_kept(case):
    one = kept(case[1])
    assert set(vars(one)) == {"plan", "facts", "labels", "rows", "seeds", "digest"}
    assert set(one.facts) == set(facts_of(case[1]))


def test_groups_that_took_long_and_do_not_say_all_have_to_run_again():
    table = sample_data.load("business_survey")
    outcome = run(Plan(method="individual-ranking", k=5), table)
    large = Table.from_frame(pd.concat([table.frame] * 3), table.schema)
    plan = Plan(method="fuzzy", k=4).resolve(large)
    assert awake(replace(kept(outcome), plan=plan), Comparison(large)) is None


def test_groups_of_another_table_do_not_come_back():
    table = sample_data.load("business_survey")
    one = kept(run(Plan(k=4), table))
    other = table.frame.copy()
    name = table.schema.quasi_identifiers[0]
    other[name] = other[name].to_numpy()[::-1]
    assert awake(one, Comparison(Table.from_frame(other, table.schema))) is None
    short = Table.from_frame(table.frame.head(300), table.schema)
    assert awake(one, Comparison(short)) is None


def test_changed_groups_and_false_figures_do_not_come_back():
    table = sample_data.load("business_survey")
    one = kept(run(Plan(k=4), table))
    moved = replace(one, labels=np.roll(one.labels, 1))
    assert awake(moved, Comparison(table)) is None
    scores = [
        {**score, "value": 99.0} if score["measure"] == "k-anonymity" else score
        for score in one.facts["scores"]
    ]
    boast = replace(one, facts={**one.facts, "scores": scores})
    assert awake(boast, Comparison(table)) is None


def test_facts_of_unknown_origin_are_checked():
    table = sample_data.load("business_survey")
    facts = facts_of(run(Plan(k=4), table))
    plan, same = checked_facts(facts)
    assert plan.k == 4
    assert same["scores"] == facts["scores"]
    for wrong in (
        [],
        {**facts, "scores": []},
        {**facts, "more": 1},
        {**facts, "plan": '{"method": "magic"}'},
        {**facts, "seconds": {"partition": "soon"}},
        {name: what for name, what in facts.items() if name != "bound"},
    ):
        with pytest.raises(EngineError):
            checked_facts(wrong)
