"""pMSE ratios: near 1 where they must be, far above where the eye sees it too."""

import math

import numpy as np
import pandas as pd
import pytest

from engine.core.context import SILENT
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.measures import MeasuredRelease
from engine.measures.before_after.membership import propensity_data, propensity_mse
from engine.measures.loss import propensity_boosting, propensity_logistic
from engine.measures.loss.propensity_boosting import shuffled_pmse
from engine.measures.loss.propensity_logistic import (
    count_free_terms,
    fit_propensity_scores,
)
from engine.pipeline.evaluate import evaluate
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.measures.tables import averaged, replaced, score

BOTH = ("propensity-logistic", "propensity-boosting")


def drawn_from_model(seed: int, n: int = 400) -> MeasuredRelease:
    """Normal records, and as many drawn from the normal law fitted to them."""
    rng = np.random.default_rng(seed)
    before = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3))
    after = rng.multivariate_normal(before.mean(axis=0), np.cov(before.T), n)
    return replaced(before, after)


def test_records_drawn_from_the_right_model_give_one_on_average() -> None:
    """What Snoke et al. prove of the expectation."""
    ratios = [
        score("propensity-logistic", drawn_from_model(seed)).value for seed in range(60)
    ]
    error = np.std(ratios, ddof=1) / math.sqrt(len(ratios))
    assert abs(np.mean(ratios) - 1.0) < 4 * error
    assert error < 0.1


@pytest.mark.slow
def test_another_sample_of_the_population_gives_one_by_shuffling() -> None:
    rng = np.random.default_rng(0)
    ratios = [
        score(
            "propensity-boosting",
            replaced(rng.normal(size=(150, 2)), rng.normal(size=(150, 2))),
        ).value
        for _ in range(6)
    ]
    assert 0.85 < np.mean(ratios) < 1.2


@pytest.mark.parametrize("name", BOTH)
def test_rough_groups_are_told_apart_more_easily_than_fine_ones(name: str) -> None:
    before = np.random.default_rng(2).normal(size=(300, 1))
    order = np.argsort(before[:, 0])
    ratios = []
    for size in (3, 30, 100):
        labels = np.empty(300, dtype=int)
        labels[order] = np.arange(300) // size
        ratios.append(score(name, averaged(before, labels)).value)
    assert ratios == sorted(ratios)
    assert ratios[-1] > 2 * ratios[0]


def test_logistic_scores_are_those_of_maximum_likelihood() -> None:
    protected = drawn_from_model(3)
    terms = propensity_data(protected, np.arange(400)).design_matrix()
    assert terms.shape == (800, 3 + 3 + 3)
    scores = fit_propensity_scores(terms)
    released = np.repeat([0.0, 1.0], 400)
    # At the maximum the residuals are orthogonal to every term and to the constant.
    residuals = released - scores
    assert residuals.sum() == pytest.approx(0.0, abs=1e-3)
    np.testing.assert_allclose(terms.T @ residuals, 0.0, atol=1e-2)
    expected = propensity_mse(scores) / (9 / (8 * 800))
    assert score("pmse", protected).value == pytest.approx(expected)


def test_sums_and_copies_of_terms_are_not_counted() -> None:
    terms = np.random.default_rng(0).normal(size=(50, 3))
    assert count_free_terms(terms) == 3
    assert (
        count_free_terms(np.column_stack([terms, terms.sum(axis=1), terms[:, 0]])) == 3
    )
    assert count_free_terms(np.empty((50, 0))) == 0


def test_shuffled_origins_are_told_apart_by_chance_only() -> None:
    rng = np.random.default_rng(4)
    features = np.vstack([rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) + 9])
    chance = shuffled_pmse(features, 0, SILENT)
    protected = replaced(features[:100], features[100:])
    assert score("propensity-boosting", protected).value > 3.0
    assert (chance < 0.2).all()
    np.testing.assert_array_equal(chance, shuffled_pmse(features, 0, SILENT))


def test_categories_and_texts_count() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"age": rng.normal(size=60), "town": rng.choice(list("abc"), 60)}
    )
    columns = (
        Column("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        Column("town", Kind.NOMINAL, Role.QUASI_IDENTIFIER),
    )
    table = Table.from_frame(frame, Schema(columns))
    plan = Plan(method="mdav-mixed", k=5, aggregations={"town": "mode"})
    scores = evaluate(run(plan, table), table, BOTH)
    assert "4 terms" in scores["propensity-logistic"].note  # age, its square, two towns
    assert scores["propensity-boosting"].value > 0.0


@pytest.mark.parametrize("name", BOTH)
def test_a_sample_says_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (propensity_boosting, propensity_logistic):
        monkeypatch.setattr(module, "MAX_MODEL_RECORDS", 50)
    figure = score(name, drawn_from_model(6))
    assert figure.sample == 50
    assert figure.note.endswith("Estimated from 50 of 400 records.")
    assert figure.baseline == 1.0


def test_trees_tell_apart_what_a_logistic_regression_does_not() -> None:
    # The same means, variances and correlations, but a normal and a two-point column.
    rng = np.random.default_rng(5)
    before = rng.normal(size=(500, 2))
    after = np.sign(rng.normal(size=(500, 2)))
    after = (after - after.mean(axis=0)) / after.std(axis=0)
    before = (before - before.mean(axis=0)) / before.std(axis=0)
    protected = replaced(before, after)
    assert score("propensity-logistic", protected).value < 3.0
    assert score("propensity-boosting", protected).value > 5.0


def test_the_interval_holds_the_ratio() -> None:
    figure = score("propensity-boosting", drawn_from_model(7, 100))
    assert figure.interval is not None
    assert figure.interval[0] < figure.value < figure.interval[1]


@pytest.mark.parametrize("name", BOTH)
def test_constant_columns_leave_nothing_to_tell(name: str) -> None:
    figure = score(name, replaced(np.ones(9), np.ones(9)))
    assert math.isnan(figure.value)
    assert figure.note
