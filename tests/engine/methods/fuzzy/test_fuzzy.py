import numpy as np
import pandas as pd
import pytest

from engine.core.errors import ParameterError
from engine.methods.fuzzy import clustering
from engine.methods.fuzzy.fuzzy import FuzzyMicroaggregation
from tests.engine.methods.fuzzy.tables import (
    RULE,
    as_table,
    expenditure,
    matrix,
    protect,
)
from tests.reference import fuzzy_clustering as naive
from tests.reference.fuzzy import fuzzy


def fitted(X: np.ndarray, k: int, seed: int = 0, **parameters: object):
    method = FuzzyMicroaggregation(k, seed=seed, **parameters)
    labels = method.fit(X).labels_
    assert method.centres_ is not None
    return method, labels


def loss(X: np.ndarray, k: int, seed: int, **parameters: object) -> float:
    """IL in per cent of the centres that the records drew."""
    method, labels = fitted(X, k, seed, **parameters)
    sse = np.square(X - method.centres_[labels]).sum()
    return float(100 * sse / np.square(X - X.mean(axis=0)).sum())


# Algorithm 1


@pytest.mark.parametrize(
    ("algorithm", "first", "second"), [("fcm", 1.3, 2.0), ("efcm", 5.0, 1.0)]
)
def test_both_algorithms_equal_the_naive_twin(
    algorithm: str, first: float, second: float
) -> None:
    names = ("m1", "m2") if algorithm == "fcm" else ("lambda1", "lambda2")
    parameters = dict(zip(names, (first, second), strict=True))
    for seed in range(3):
        X = matrix(60, seed=seed)
        method, labels = fitted(X, 4, seed, algorithm=algorithm, **parameters)
        expected = fuzzy(X, 4, seed, algorithm, first, second)
        np.testing.assert_array_equal(labels, expected)
        rng = np.random.default_rng(seed)
        V = naive.cluster(X, 15, algorithm, first, rng)
        u = np.array([naive.memberships(x, V, algorithm, second) for x in X])
        drawn = np.argmin(((method.centres_[:, None] - V) ** 2).sum(axis=2), axis=1)
        np.testing.assert_allclose(method.centres_, V[drawn], rtol=1e-9)
        np.testing.assert_allclose(method.expected_sizes_, u.sum(axis=0)[drawn])


def test_centres_are_drawn_with_the_memberships_as_probabilities() -> None:
    X = matrix(12)
    model = clustering.FuzzyModel(X, "fcm", 2.0)
    V = matrix(4, seed=1)
    draws = 4000
    times = np.zeros((12, 4))
    for seed in range(draws):
        labels, expected = model.draw_centres(V, np.random.default_rng(seed))
        times[np.arange(12), labels] += 1
    u = model.memberships(V)
    error = np.sqrt(u * (1 - u) / draws)
    assert (np.abs(times / draws - u) <= 5 * error + 1e-12).all()
    np.testing.assert_allclose(expected, u.sum(axis=0))


def test_one_seed_gives_one_release_and_another_seed_another() -> None:
    table = as_table(matrix())
    first, repetition, other = (protect(table, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first.release.frame, repetition.release.frame)
    assert not first.release.frame.equals(other.release.frame)


# Seed 003, proposition 8 and the limits that it names


def test_expected_size_is_k_where_m2_is_large_or_lambda2_small() -> None:
    for parameters in ({"m2": 1e6}, {"algorithm": "efcm", "lambda2": 1e-9}):
        method, labels = fitted(matrix(150), 5, **parameters)
        np.testing.assert_allclose(method.expected_sizes_, 5.0, rtol=1e-3)
        assert len(method.expected_sizes_) == labels.max() + 1 <= 30


def test_realised_sizes_vary_around_the_expected_ones() -> None:
    X = matrix(150)
    sizes = np.concatenate(
        [np.bincount(fitted(X, 5, s, m2=1e6)[1], minlength=30) for s in range(60)]
    )
    # Sizes are binomial: 150 records, each with one of 30 centres.
    assert sizes.mean() == pytest.approx(5.0)
    assert sizes.var() == pytest.approx(150 * (1 / 30) * (29 / 30), rel=0.15)


@pytest.mark.parametrize(
    ("name", "rising", "others"),
    [
        # Nearer to 1 clusters are crisp, and stop at worse places to rest.
        ("m1", (1.3, 1.6, 2.0, 3.0, 10.0, 100.0), {"m2": 1.1}),
        ("m2", (1.05, 1.3, 1.6, 2.0, 3.0, 10.0, 1e6), {"m1": 1.1}),
        ("lambda1", (10.0, 2.0, 0.5, 0.1), {"algorithm": "efcm", "lambda2": 10.0}),
        ("lambda2", (30.0, 3.0, 1.0, 0.1, 1e-3), {"algorithm": "efcm"}),
    ],
)
def test_fuzzier_clusters_and_fuzzier_draws_lose_more(name, rising, others) -> None:
    X = matrix(150)
    means = [
        np.mean([loss(X, 5, seed, **{name: value}, **others) for seed in range(10)])
        for value in rising
    ]
    assert means == sorted(means)
    assert means[-1] > 2.0 * means[0]


def test_the_fuzziest_clusters_release_the_mean() -> None:
    X = matrix(100)
    assert loss(X, 5, 0, m1=100.0, m2=1.1) == pytest.approx(100.0, abs=1.0)


def test_fewer_centres_lose_more_on_average() -> None:
    X = matrix(120)
    means = [
        np.mean([loss(X, 3, seed, c=c) for seed in range(10)])
        for c in (120, 60, 30, 10, 3, 1)
    ]
    assert means == sorted(means)


def test_with_every_centre_as_likely_fewer_centres_and_larger_m1_lose_less() -> None:
    """Proposition 8 says the contrary of both, for all m2."""
    X = matrix(120)

    def mean_loss(**parameters: float) -> float:
        return float(np.mean([loss(X, 3, s, m2=1e6, **parameters) for s in range(5)]))

    assert mean_loss(c=1) == pytest.approx(100.0)
    assert mean_loss(c=40) > 150.0
    assert mean_loss(c=40, m1=100.0) == pytest.approx(100.0, abs=1.0)


def test_one_centre_makes_every_record_equal() -> None:
    X = matrix(60)
    method, labels = fitted(X, 3, c=1)
    assert not labels.any()
    np.testing.assert_allclose(method.centres_, X.mean(axis=0)[None])
    outcome = protect(as_table(X), parameters={"c": 1})
    assert (outcome.release.frame.nunique() == 1).all()
    assert outcome.information_loss == pytest.approx(100.0)


def test_a_centre_per_record_and_m_1_lose_nothing() -> None:
    for seed in range(5):
        X = matrix(40, seed=seed)
        assert loss(X, 3, seed, c=40, m1=1.0, m2=1.0) == pytest.approx(0.0, abs=1e-20)


# Rules


@pytest.mark.parametrize("scaling", ["none", "zscore", "range"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"m1": 1.32},
        {"algorithm": "efcm", "lambda1": 0.01, "lambda2": 0.01},
    ],
)
def test_released_records_keep_rules_that_the_input_breaks(scaling, parameters) -> None:
    outcome = protect(
        expenditure(noise=1.5),
        scaling=scaling,
        constraints=(RULE,),
        parameters=parameters,
        rounding="none",
    )
    released = outcome.release.frame
    residual = 1.16 * released["exp16"] + 1.07 * released["exp7"] - released["total"]
    assert np.abs(residual).max() < 1e-9
    assert outcome.rules_broken == {RULE: 12}


def test_centres_keep_the_rules_while_they_move_and_not_only_in_the_end() -> None:
    free = protect(
        expenditure(noise=1.5),
        scaling="none",
        rounding="none",
        parameters={"m1": 1.32, "m2": 1.0},
    )
    bound = protect(
        expenditure(noise=1.5),
        scaling="none",
        rounding="none",
        constraints=(RULE,),
        parameters={"m1": 1.32, "m2": 1.0},
    )
    a = np.array([1.16, 1.07, -1.0])
    moved = free.release.frame.to_numpy()
    moved = moved - np.outer(moved @ a / (a @ a), a)
    assert not np.allclose(moved, bound.release.frame.to_numpy(), atol=1e-6)


def test_more_centres_than_records_are_refused() -> None:
    with pytest.raises(ParameterError, match="more centres than the 40 records"):
        FuzzyMicroaggregation(3, c=41).fit(matrix(40))
    assert FuzzyMicroaggregation(3, c=40).fit(matrix(40)).labels_.max() < 40


def test_polish_is_refused_for_lack_of_a_k() -> None:
    table = as_table(matrix(40, 4))
    with pytest.raises(ParameterError, match="smaller than k"):
        protect(table, polish=True)
