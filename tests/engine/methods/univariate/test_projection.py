from itertools import permutations

import numpy as np
import pytest

from engine.methods.base import make_method
from engine.methods.steps.projection import first_component_scores, zscore_sum
from tests.casc import information_loss, zscored

both = pytest.mark.parametrize("name", ["zscore-projection", "pca-projection"])


@both
def test_one_attribute_gives_optimal_groups(name: str) -> None:
    for k in (2, 5, 30):
        X = np.random.default_rng(k).lognormal(0.0, 1.0, (500, 1))
        best = information_loss(X, make_method("hansen-mukherjee", k).fit(X).labels_)
        loss = information_loss(X, make_method(name, k).fit(X).labels_)
        assert loss == pytest.approx(best, rel=1e-9)


@both
@pytest.mark.parametrize("table", ["tarragona", "census"])
def test_loses_more_than_groups_of_whole_records(name: str, table: str) -> None:
    X = zscored(table)
    mdav = information_loss(X, make_method("mdav", 5).fit(X).labels_)
    assert mdav < information_loss(X, make_method(name, 5).fit(X).labels_) < 100


def test_the_sum_of_zscores_does_not_depend_on_units() -> None:
    X = np.random.default_rng(0).standard_normal((50, 3))
    other = X * [1.0, 1000.0, 0.001] + [5.0, -7.0, 0.1]
    np.testing.assert_allclose(zscore_sum(other), zscore_sum(X), atol=1e-8)
    expected = ((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1)
    np.testing.assert_allclose(zscore_sum(X), expected, atol=1e-10)


def test_a_constant_attribute_adds_nothing() -> None:
    X = np.random.default_rng(1).standard_normal((50, 3))
    constant = np.column_stack([X, np.full(50, 0.7)])
    np.testing.assert_allclose(zscore_sum(constant), zscore_sum(X), atol=1e-12)
    np.testing.assert_allclose(
        np.abs(first_component_scores(constant)),
        np.abs(first_component_scores(X)),
        atol=1e-10,
    )


def test_the_first_component_has_the_largest_variance() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 4)) * [1.0, 5.0, 2.0, 0.1]
    score = first_component_scores(X)
    assert score.var() == pytest.approx(np.linalg.eigvalsh(np.cov(X.T, ddof=0))[-1])
    for direction in rng.standard_normal((100, 4)):
        direction /= np.linalg.norm(direction)
        assert (X @ direction).var() <= score.var() * (1 + 1e-9)
    assert np.corrcoef(score, X[:, 1])[0, 1] > 0.9


def test_scores_that_are_equal_but_for_rounding_tie() -> None:
    # 0.1 + 0.2 + 0.3 in different orders gives different last digits.
    X = np.array(list(permutations([0.1, 0.2, 0.3])))
    assert np.unique(zscore_sum(X)).size == 1
    labels = make_method("zscore-projection", 2).fit(X).labels_
    np.testing.assert_array_equal(labels, [0, 0, 1, 1, 2, 2])
