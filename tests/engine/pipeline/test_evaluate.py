"""Measures on demand look at the release as it was written, and can be stopped."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.core.context import RunContext
from engine.core.errors import Cancelled, ParameterError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.measures import Score, measures
from engine.measures.loss.information_loss import loss_of_values
from engine.pipeline.evaluate import evaluate, make_measured_release
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.storage.outcomes import load_outcome, save_outcome


def people(n: int = 40) -> Table:
    """Numbers, days, ordered words and a diagnosis that nobody should learn."""
    rng = np.random.default_rng(5)
    grades = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "income": rng.lognormal(10, 0.5, n).round(2),
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 20_000, n), "D"),
            "grade": pd.Series(rng.choice(grades.categories, n)).astype(grades),
            "illness": rng.choice(["flu", "gout", "none"], n),
        }
    )
    roles = [Role.IDENTIFIER, *[Role.QUASI_IDENTIFIER] * 4, Role.CONFIDENTIAL]
    kinds = [Kind.NOMINAL, *[Kind.CONTINUOUS] * 3, Kind.ORDINAL, Kind.NOMINAL]
    columns = [
        Column(name, kind, role)
        for name, kind, role in zip(frame.columns, kinds, roles, strict=True)
    ]
    return Table.from_frame(frame, Schema(tuple(columns)))


@pytest.mark.parametrize("aggregation", ["auto", "median", "interval"])
@pytest.mark.parametrize("rounding", ["types", "precision", "none"])
@pytest.mark.parametrize("method", ["mdav", "individual-ranking"])
def test_the_numbers_of_a_release_are_read_back(
    aggregation: str, rounding: str, method: str
) -> None:
    table = people()
    plan = Plan(method=method, aggregation=aggregation, rounding=rounding)
    outcome = run(plan, table)
    protected = make_measured_release(outcome, table)
    reread_loss = loss_of_values(protected, protected.as_written, "again")
    expected = outcome.scores["released-loss"]
    if aggregation == "interval":  # ends are not rounded, so neither are midpoints
        assert expected.per_column == outcome.scores["information-loss"].per_column
    assert reread_loss.per_column == pytest.approx(expected.per_column, rel=1e-9)


def test_ordered_words_are_read_back_as_their_ranks() -> None:
    table = people()
    outcome = run(Plan(), table)
    written = make_measured_release(outcome, table).as_written[:, 3]
    ranks = outcome.release.frame["grade"].cat.codes.to_numpy()
    np.testing.assert_array_equal(written, ranks)


def test_a_released_node_is_read_back_as_the_middle_of_its_values() -> None:
    table = people()
    ages = sorted(set(table.frame["age"]))
    decades = Hierarchy(tuple((str(age), f"{age // 10}0s", "*") for age in ages))
    grades = Hierarchy((("low", "-", "*"), ("middle", "+", "*"), ("high", "+", "*")))
    table = table.assign(hierarchies={"age": decades, "grade": grades})
    rules = {"age": "generalise", "grade": "generalise"}
    outcome = run(Plan(aggregations=rules), table)
    protected = make_measured_release(outcome, table)
    for j, name in ((0, "age"), (3, "grade")):
        assert set(outcome.release.frame[name]) - set(map(str, table.frame[name]))
        values = pd.Series(protected.points.values[:, j])
        same = values.groupby(outcome.release.frame[name].to_numpy())
        middle = (same.transform("min") + same.transform("max")) / 2
        np.testing.assert_array_equal(protected.as_written[:, j], middle)


def test_cells_that_stay_missing_and_dropped_records_keep_their_place() -> None:
    table = people()
    frame = table.frame.copy()
    frame["age"] = frame["age"].astype("float64")
    frame.loc[[3, 9, 17, 30], "age"] = np.nan
    table = Table.from_frame(frame, table.schema)
    for policy in ("keep", "drop", "median"):
        outcome = run(Plan(missing=policy), table)
        protected = make_measured_release(outcome, table)
        assert protected.original is not None
        assert len(protected.original) == len(outcome.release.frame)
        reread_losses = loss_of_values(
            protected, protected.as_written, "again"
        ).per_column
        expected = outcome.scores["released-loss"].per_column
        assert reread_losses == pytest.approx(expected)


def test_it_knows_the_confidential_columns_of_the_release() -> None:
    table = people()
    protected = make_measured_release(run(Plan(), table), table)
    assert [column.name for column in protected.confidential] == ["illness"]
    assert protected.original is not None
    assert protected.original["name"].tolist() == table.frame["name"].tolist()


def test_what_every_run_works_out_is_taken_from_it() -> None:
    table = people()
    outcome = run(Plan(), table)
    scores = evaluate(outcome, table, ["il", "k-anonymity"])
    assert list(scores) == ["information-loss", "k-anonymity"]
    assert scores["k-anonymity"] is outcome.scores["k-anonymity"]


def test_runs_do_not_work_out_measures_on_demand() -> None:
    on_demand_ids = {info.id for info in measures.infos() if info.on_demand}
    assert on_demand_ids
    assert set(run(Plan(), people()).scores) == set(measures) - on_demand_ids


def test_all_measures_are_found_with_rising_progress() -> None:
    table, shares = people(), list[float]()
    ctx = RunContext(report=lambda share, stage: shares.append(share))
    scores = evaluate(run(Plan(), table), table, ctx=ctx)
    assert list(scores) == list(measures)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    for name, score in scores.items():
        info = measures.info(name)
        assert score.measure == name
        assert math.isnan(score.value) <= bool(score.note), name
        if not math.isnan(score.value):
            assert info.limits[0] <= score.value <= info.limits[1], name
        assert (score.baseline is not None) <= bool(info.baseline), name


def test_the_same_seed_gives_the_same_figures() -> None:
    table = people()
    outcome = run(Plan(), table)
    first, second_scores = (evaluate(outcome, table, seed=3) for _ in range(2))
    for name in measures:
        np.testing.assert_equal(first[name].value, second_scores[name].value)
        np.testing.assert_equal(first[name].interval, second_scores[name].interval)


def test_an_unknown_measure_and_a_cancel_end_it() -> None:
    table = people()
    outcome = run(Plan(), table)
    with pytest.raises(ParameterError, match="no measure called 'beauty'"):
        evaluate(outcome, table, ["beauty"])
    with pytest.raises(Cancelled):
        evaluate(outcome, table, ctx=RunContext(cancelled=lambda: True))


def test_scores_keep_their_baseline_and_sample_on_disk(tmp_path: Path) -> None:
    table = people()
    outcome = run(Plan(), table)
    score = Score("k-anonymity", 3.0, {}, (2.0, 4.0), 1.0, {"age": 2.0}, 50, "So.")
    object.__setattr__(outcome, "scores", {**outcome.scores, "k-anonymity": score})
    save_outcome(outcome, tmp_path / "run", table)
    loaded_outcome = load_outcome(tmp_path / "run", table)
    assert loaded_outcome.scores["k-anonymity"] == score
