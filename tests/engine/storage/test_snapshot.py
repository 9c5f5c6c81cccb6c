"""An outcome without values comes back whole, where its table is, and only there."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sample_data
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import PlanRunner
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from engine.storage.figures import OutcomeFigures
from engine.storage.snapshot import rebuild_outcome_from_table, take_outcome_snapshot

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


def test_a_snapshot_comes_back_with_the_same_release(case):
    table, outcome = case
    rebuilt_outcome = rebuild_outcome_from_table(
        take_outcome_snapshot(outcome), PlanRunner(table)
    )
    assert rebuilt_outcome is not None
    pd.testing.assert_frame_equal(rebuilt_outcome.release.frame, outcome.release.frame)
    np.testing.assert_array_equal(
        rebuilt_outcome.partition.labels, outcome.partition.labels
    )
    np.testing.assert_array_equal(rebuilt_outcome.release.rows, outcome.release.rows)
    assert rebuilt_outcome.plan == outcome.plan
    assert rebuilt_outcome.summary() == outcome.summary()
    assert (
        OutcomeFigures.from_outcome(rebuilt_outcome).to_json()
        == OutcomeFigures.from_outcome(outcome).to_json()
    )


def test_no_value_of_a_record_is_in_it(case):
    snapshot = take_outcome_snapshot(case[1])
    assert set(vars(snapshot)) == {"figures", "labels", "rows", "seeds", "digest"}
    assert set(snapshot.figures.to_json()) == {
        "plan",
        "fingerprint",
        "guarantees_k",
        "columns",
        "rules",
        "scores",
        "bound",
        "seconds",
        "versions",
        "warnings",
        "iterations",
        "turns",
        "rules_broken",
        "probabilistic",
        "trace",
        "survived",
        "by_seed",
        "suppressed",
        "suppressed_cells",
        "suppressed_persons",
        "suppressed_whole_persons",
        "surplus",
    }


def test_groups_that_took_long_and_do_not_say_all_have_to_run_again():
    table = sample_data.load("business_survey")
    outcome = run(Plan(method="individual-ranking", k=5), table)
    large = Table.from_frame(pd.concat([table.frame] * 3), table.schema)
    plan = resolve_plan(Plan(method="fuzzy", k=4), large)
    snapshot = take_outcome_snapshot(outcome)
    snapshot = replace(snapshot, figures=replace(snapshot.figures, plan=plan))
    assert rebuild_outcome_from_table(snapshot, PlanRunner(large)) is None


def test_groups_of_another_table_do_not_come_back():
    table = sample_data.load("business_survey")
    snapshot = take_outcome_snapshot(run(Plan(k=4), table))
    other = table.frame.copy()
    name = table.schema.quasi_identifiers[0]
    other[name] = other[name].to_numpy()[::-1]
    assert (
        rebuild_outcome_from_table(
            snapshot, PlanRunner(Table.from_frame(other, table.schema))
        )
        is None
    )
    short = Table.from_frame(table.frame.head(300), table.schema)
    assert rebuild_outcome_from_table(snapshot, PlanRunner(short)) is None


def test_changed_groups_and_false_figures_do_not_come_back():
    table = sample_data.load("business_survey")
    snapshot = take_outcome_snapshot(run(Plan(k=4), table))
    moved = replace(snapshot, labels=np.roll(snapshot.labels, 1))
    assert rebuild_outcome_from_table(moved, PlanRunner(table)) is None
    scores = tuple(
        replace(score, value=99.0) if score.measure == "k-anonymity" else score
        for score in snapshot.figures.scores
    )
    boast = replace(snapshot, figures=replace(snapshot.figures, scores=scores))
    assert rebuild_outcome_from_table(boast, PlanRunner(table)) is None


def test_figures_come_back_read_only_and_without_loss(case):
    figures = OutcomeFigures.from_outcome(case[1])
    content = json.loads(json.dumps(figures.to_json()))
    loaded_figures = OutcomeFigures.from_json(content)
    assert json.dumps(loaded_figures.to_json()) == json.dumps(figures.to_json())
    assert loaded_figures.trace == figures.trace
    for mapping in (
        loaded_figures.seconds,
        loaded_figures.versions,
        loaded_figures.scores[0].per_column,
    ):
        with pytest.raises(TypeError):
            mapping["more"] = 1.0


def test_figures_of_unknown_origin_are_checked():
    table = sample_data.load("business_survey")
    figures = OutcomeFigures.from_outcome(
        run(Plan(method="fuzzy", k=4), table)
    ).to_json()
    assert OutcomeFigures.from_json(figures).plan.k == 4
    first, *rest = figures["scores"]
    drawn = figures["probabilistic"]
    for wrong in (
        [],
        None,
        {**figures, "scores": []},
        {**figures, "more": 1},
        {**figures, "plan": '{"method": "magic"}'},
        {**figures, "plan": 5},
        {**figures, "seconds": {"partition": "soon"}},
        {**figures, "seconds": {}},
        {**figures, "scores": [{**first, "value": "much"}, *rest]},
        {**figures, "scores": [{**first, "sample": -1}, *rest]},
        {**figures, "scores": [{**first, "more": 1}, *rest]},
        {**figures, "bound": {**figures["bound"], "more": 1}},
        {**figures, "iterations": [-1]},
        {**figures, "trace": [[1.0]]},
        {**figures, "probabilistic": {**drawn, "realised": [2**70]}},
        {**figures, "probabilistic": {**drawn, "expected": {}}},
        {**figures, "probabilistic": {**drawn, "n_centres": 0}},
        {name: what for name, what in figures.items() if name != "bound"},
    ):
        with pytest.raises(EngineError):
            OutcomeFigures.from_json(wrong)


def test_measures_that_are_not_known_here_are_left_out():
    table = sample_data.load("business_survey")
    figures = OutcomeFigures.from_outcome(run(Plan(k=4), table)).to_json()
    newer = {**figures["scores"][0], "measure": "of-a-later-version"}
    loaded_figures = OutcomeFigures.from_json(
        {**figures, "scores": [*figures["scores"], newer]}
    )
    assert loaded_figures.to_json()["scores"] == figures["scores"]
