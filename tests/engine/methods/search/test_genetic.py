import numpy as np
import pytest

from engine.methods.base import make_method
from engine.methods.search.genetic import Genetic
from engine.methods.search.mdav_genetic import MDAVGenetic
from tests.casc import information_loss, zscored
from tests.reference.brute_force import least_sse

SMALL = [(k, n) for k in (2, 3, 4) for n in range(2 * k, 10)]


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_finds_the_optimum_of_small_tables_with_its_defaults(k: int, n: int) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for X in (
            rng.standard_normal((n, 3)),
            rng.lognormal(0.0, 2.0, (n, 2)),
            rng.integers(0, 3, (n, 3)).astype(np.float64),
        ):
            labels = Genetic(k, seed=seed).fit(X).labels_
            groups = [X[labels == g] for g in range(labels.max() + 1)]
            sse = sum(((G - G.mean(axis=0)) ** 2).sum() for G in groups)
            assert sse == pytest.approx(least_sse(X, k), rel=1e-9, abs=1e-12)


def test_more_generations_never_lose_more() -> None:
    X = np.random.default_rng(1).standard_normal((60, 4))
    losses = [
        information_loss(X, Genetic(4, generations=g).fit(X).labels_)
        for g in (1, 5, 25, 125)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_seeds_search_differently() -> None:
    X = np.random.default_rng(2).standard_normal((60, 4))
    label_lists = [
        Genetic(4, generations=5, seed=seed).fit(X).labels_ for seed in (0, 1)
    ]
    assert (label_lists[0] != label_lists[1]).any()


def test_loses_less_than_mdav_on_a_few_dozen_records() -> None:
    X = np.random.default_rng(3).standard_normal((40, 3))
    for k in (3, 5):
        mdav = information_loss(X, make_method("mdav", k).fit(X).labels_)
        assert information_loss(X, Genetic(k).fit(X).labels_) < mdav


@pytest.mark.parametrize("crossover", [0.0, 1.0])
@pytest.mark.parametrize("mutation", [0.0, 100.0])
def test_keeps_k_at_the_ends_of_its_parameters(
    crossover: float, mutation: float
) -> None:
    X = np.random.default_rng(4).standard_normal((50, 2))
    labels = (
        Genetic(7, population=4, generations=9, crossover=crossover, mutation=mutation)
        .fit(X)
        .labels_
    )
    assert np.bincount(labels).min() >= 7


def test_mdav_genetic_is_genetic_where_the_file_is_one_block() -> None:
    X = np.random.default_rng(5).standard_normal((59, 3))
    both = [
        method(4, population=20, generations=30, seed=7).fit(X).labels_
        for method in (Genetic, MDAVGenetic)
    ]
    np.testing.assert_array_equal(*both)


def test_mdav_genetic_stays_inside_the_groups_of_mdav() -> None:
    X = np.random.default_rng(6).standard_normal((200, 3))
    large = make_method("mdav", 40).fit(X).labels_
    labels = MDAVGenetic(3, block=40, generations=5).fit(X).labels_
    for group in range(labels.max() + 1):
        assert np.unique(large[labels == group]).size == 1


@pytest.mark.slow
def test_mdav_genetic_loses_less_than_mdav_on_tarragona() -> None:
    X = zscored("tarragona")
    for k in (3, 5, 10):
        mdav = information_loss(X, make_method("mdav", k).fit(X).labels_)
        assert information_loss(X, MDAVGenetic(k).fit(X).labels_) < mdav
