"""What a model learns from a release, against what it learns from the original."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from engine.analysis import ModelScores, analyse, models
from engine.core.context import RunContext
from engine.core.errors import Cancelled, InputError, ParameterError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


def firms(n: int = 120) -> Table:
    rng = np.random.default_rng(8)
    staff = rng.lognormal(3, 0.5, n)
    turnover = 5 * staff + rng.normal(0, 10, n)
    sector = np.where(staff + rng.normal(0, 5, n) > np.median(staff), "trade", "crafts")
    frame = pd.DataFrame(
        {
            "firm": [f"firm {i}" for i in range(n)],
            "staff": staff,
            "turnover": turnover,
            "sector": sector,
            "debt": turnover * 2 + rng.normal(0, 30, n),
        }
    )
    quasi, other = Role.QUASI_IDENTIFIER, Role.OTHER
    columns = (
        Column("firm", Kind.NOMINAL, Role.IDENTIFIER),
        Column("staff", Kind.CONTINUOUS, quasi),
        Column("turnover", Kind.CONTINUOUS, quasi),
        Column("sector", Kind.NOMINAL, other),
        Column("debt", Kind.CONTINUOUS, Role.CONFIDENTIAL),
    )
    return Table.from_frame(frame, Schema(columns))


def protect(table: Table, k: int = 5, **choices: object) -> Outcome:
    return run(Plan(k=k, **choices), table)


def test_a_regression_equals_scikit_learns_on_the_same_folds() -> None:
    table = firms()
    outcome = protect(table, rounding="none")
    model_scores = analyse(outcome, table, "debt", "linear", folds=4, seed=3)
    assert model_scores.features == ("staff", "turnover")
    assert model_scores.measure == "R squared"
    X, y = table.frame[["staff", "turnover"]].to_numpy(), table.frame["debt"].to_numpy()
    Z = outcome.release.frame[["staff", "turnover"]].to_numpy()
    parts = np.random.default_rng(3).permutation(120) % 4
    for part in range(4):
        out = parts == part
        for matrix, scores in ((X, model_scores.original), (Z, model_scores.protected)):
            model = LinearRegression().fit(matrix[~out], y[~out])
            assert scores[part] == pytest.approx(model.score(X[out], y[out]))
        plain = DummyRegressor().fit(X[~out], y[~out]).score(X[out], y[out])
        assert model_scores.baseline[part] == pytest.approx(plain)


@pytest.mark.parametrize("model", list(models))
def test_an_unchanged_table_loses_nothing(model: str) -> None:
    table = firms()
    twins = pd.concat([table.frame] * 2, ignore_index=True)
    table = Table.from_frame(twins, table.schema)
    outcome = protect(table, k=2)  # each record and its twin
    target = "sector" if models.info(model).classifies else "debt"
    model_scores = analyse(outcome, table, target, model)
    assert model_scores.original == pytest.approx(model_scores.protected)
    assert model_scores.score_loss == pytest.approx(0.0, abs=1e-12)
    assert model_scores.kept_share == pytest.approx(100.0)
    assert np.mean(model_scores.original) > np.mean(model_scores.baseline)


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_one_group_for_all_keeps_nothing(model: str) -> None:
    table = firms()
    target = "sector" if models.info(model).classifies else "debt"
    model_scores = analyse(protect(table, k=120), table, target, model)
    assert model_scores.protected == pytest.approx(model_scores.baseline, abs=0.35)
    assert model_scores.kept_share < 30.0
    assert model_scores.score_loss > 0.1
    low, high = model_scores.interval
    assert low < model_scores.score_loss < high


def test_a_protected_target_is_learnt_as_released_and_tried_as_it_is() -> None:
    table = firms()
    model_scores = analyse(protect(table, k=20), table, "turnover", "linear")
    assert model_scores.features == ("staff",)
    assert np.mean(model_scores.original) > 0.8
    assert 0.5 < np.mean(model_scores.protected) < 1.0


def test_figures_by_hand() -> None:
    scores = ((0.8, 0.6), (0.5, 0.5), (0.0, 0.2))
    model_scores = ModelScores("y", ("x",), "linear", "R squared", *scores, n_records=9)
    assert model_scores.score_loss == pytest.approx(0.2)
    assert model_scores.kept_share == pytest.approx(100 * (0.5 - 0.1) / (0.7 - 0.1))
    # Differences 0.3 and 0.1: variance 0.02, times 1/2 + 1/1; t with 1 degree.
    half = 12.706205 * math.sqrt(0.02 * 1.5)
    assert model_scores.interval == pytest.approx((0.2 - half, 0.2 + half))
    nothing = ModelScores(
        "y", ("x",), "linear", "R squared", *scores[::-1], n_records=9
    )
    assert math.isnan(nothing.kept_share)
    better = ((0.5, 0.5), (0.8, 0.6), (0.0, 0.2))
    assert (
        ModelScores("y", ("x",), "linear", "R squared", *better, 9).kept_share == 100.0
    )
    worse = ((0.5, 0.5), (-0.8, -0.6), (0.0, 0.2))
    assert ModelScores("y", ("x",), "linear", "R squared", *worse, 9).kept_share == 0.0


def test_slopes_that_change_their_sign_are_named() -> None:
    # Where x1 and x2 are averaged, only their sum is left, and y falls with x2 alone.
    rng = np.random.default_rng(4)
    x1 = rng.normal(size=300)
    x2 = x1 + 0.15 * rng.normal(size=300)
    y = 2.0 * x1 - 1.0 * x2 + 0.05 * rng.normal(size=300)
    frame = pd.DataFrame({"x1": x1, "x2": x2, "y": y, "up": np.where(y > 0, "a", "b")})
    quasi, other = Role.QUASI_IDENTIFIER, Role.OTHER
    columns = [Column(name, Kind.CONTINUOUS, quasi) for name in ("x1", "x2", "y")]
    schema = Schema((*columns, Column("up", Kind.NOMINAL, other)))
    table = Table.from_frame(frame, schema)
    outcome = protect(table, k=60, rounding="none", scaling="none")
    model_scores = analyse(outcome, table, "y", "linear", ["x1", "x2"])
    fits = [
        LinearRegression().fit(part[["x1", "x2"]], part["y"]).coef_
        for part in (frame, outcome.release.frame)
    ]
    changed = np.sign(fits[0]) != np.sign(fits[1])
    assert model_scores.n_slopes == 2
    assert model_scores.sign_changes == tuple(np.array(["x1", "x2"])[changed])
    assert analyse(outcome, table, "up", "forest", ["x1"]).n_slopes == 0


def test_a_logistic_regression_has_no_penalty() -> None:
    # One slope by maximum likelihood: the score equation is 0 there.
    rng = np.random.default_rng(9)
    x = rng.normal(size=(60, 1))
    y = rng.random(60) < 1 / (1 + np.exp(-3 * x[:, 0]))
    model = models.get("logistic")(0).fit(x, y)
    chance = model.predict_proba(x)[:, 1]
    assert abs((y - chance) @ x[:, 0]) < 0.01


def test_categories_intervals_and_missing_cells_can_be_features() -> None:
    table = firms()
    frame = table.frame.copy()
    frame.loc[::7, "debt"] = np.nan
    frame.loc[::5, "sector"] = None
    table = Table.from_frame(frame, table.schema)
    outcome = protect(table, aggregation="interval")
    columns = ("staff", "sector", "debt")
    model_scores = analyse(outcome, table, "turnover", "linear", columns)
    assert np.mean(model_scores.original) > 0.5
    classes = analyse(outcome, table, "sector", "logistic")
    assert classes.n_records == 120 - 24
    assert classes.measure == "accuracy"


def test_the_same_seed_gives_the_same_figures_and_a_sample_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = firms()
    outcome = protect(table)
    first, second_scores = (
        analyse(outcome, table, "debt", "linear", seed=1) for _ in range(2)
    )
    assert first == second_scores
    monkeypatch.setattr("engine.analysis.modelling.model_loss.MAX_MODEL_RECORDS", 60)
    model_scores = analyse(outcome, table, "debt", "linear")
    assert model_scores.n_records == 60
    assert model_scores.note == "Estimated from 60 of 120 records."


def test_what_makes_no_sense_is_refused() -> None:
    table = firms()
    outcome = protect(table)
    with pytest.raises(ParameterError, match="no column called 'profit'"):
        analyse(outcome, table, "profit", "linear")
    with pytest.raises(ParameterError, match="no column called 'firm'"):
        analyse(outcome, table, "debt", "linear", ["firm"])
    with pytest.raises(ParameterError, match="by itself"):
        analyse(outcome, table, "debt", "linear", ["debt"])
    with pytest.raises(ParameterError, match="holds nothing out"):
        analyse(outcome, table, "debt", "linear", folds=1)
    with pytest.raises(ParameterError, match="no model called 'magic'"):
        analyse(outcome, table, "debt", "magic")
    with pytest.raises(InputError, match="'sector' holds no numbers"):
        analyse(outcome, table, "sector", "linear")
    with pytest.raises(InputError, match="'debt' has 120 different"):
        analyse(outcome, table, "debt", "logistic")
    with pytest.raises(InputError, match="too few for 90 parts"):
        analyse(outcome, table, "debt", "linear", folds=90)
    single_outcome = run(Plan(k=5, quasi_identifiers=("staff",)), table)
    with pytest.raises(ParameterError, match="nothing to predict 'staff' by"):
        analyse(single_outcome, table, "staff", "linear")


def test_progress_rises_and_a_cancel_ends_it() -> None:
    table, shares = firms(), list[float]()
    outcome = protect(table)
    ctx = RunContext(lambda share, stage: shares.append(share))
    analyse(outcome, table, "debt", "linear", ctx=ctx)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.raises(Cancelled):
        analyse(
            outcome, table, "debt", "linear", ctx=RunContext(cancelled=lambda: True)
        )
