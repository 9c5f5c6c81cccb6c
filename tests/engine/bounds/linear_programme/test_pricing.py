"""Pricing finds the groups worth most, and says truly what none of them exceeds."""

import numpy as np
import pytest

from engine.bounds.base import CentredRecords
from engine.bounds.linear_programme.cuts import PricedCuts
from engine.bounds.linear_programme.pricing import NO_CUTS, Pricer, safe_dual_bound
from engine.core.context import RunContext
from engine.core.errors import Cancelled
from tests.reference.brute_force import least_sse
from tests.reference.column_generation import all_groups, gain


def random_cuts(rng: np.random.Generator, n: int, size: int) -> PricedCuts:
    sets = []
    for _ in range(size):
        divisor = int(rng.integers(2, 5))
        records = rng.choice(
            n, int(rng.integers(min(divisor, n), n + 1)), replace=False
        )
        times = rng.integers(1, divisor, records.size)  # less often than the divisor
        sets.append((tuple(sorted(np.repeat(records, times).tolist())), divisor))
    return PricedCuts(sets, rng.exponential(0.3, size))


@pytest.mark.parametrize("n_cuts", [0, 1, 12])
@pytest.mark.parametrize("s", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(4))
def test_finds_what_looking_at_every_group_finds(
    s: int, n_cuts: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(11, 2)) if seed % 2 else rng.integers(0, 4, (11, 2)) * 1.0
    prices = rng.normal(1.0, 1.0, 11)
    cuts = random_cuts(rng, 11, n_cuts)
    pricer = Pricer(CentredRecords.from_array(X), 3)
    pricing = pricer.price_groups(prices, s, 0.0, 1000, 10**6, cuts)
    expected = {group: gain(X, group, prices, cuts) for group in all_groups(11, s, s)}
    expected = {group: value for group, value in expected.items() if value > 1e-9}
    reached = {
        tuple(sorted(group)): value
        for group, value in zip(pricing.groups.tolist(), pricing.gains, strict=True)
    }
    assert set(expected) <= set(reached)
    for group, value in reached.items():
        assert value == pytest.approx(expected.get(group, 0.0), abs=1e-8)
    by_price = np.lexsort((np.arange(11), -prices))
    for group, value in expected.items():
        anchor = next(i for i in by_price if i in group)
        assert pricing.highest[anchor] >= value - 1e-8


@pytest.mark.parametrize("keep", [1, 3])
def test_keeps_the_best_of_each_anchor(keep: int) -> None:
    rng = np.random.default_rng(0)
    X, prices = rng.standard_normal((40, 3)), rng.normal(1.5, 0.5, 40)
    pricer = Pricer(CentredRecords.from_array(X), 4)
    some = pricer.price_groups(prices, 4, 0.0, keep, 10**6)
    every = pricer.price_groups(prices, 4, 0.0, 10**4, 10**6, capacity=10**6)
    np.testing.assert_array_equal(some.highest, every.highest)
    for anchor in range(40):
        some_gains = np.sort(some.gains[some.groups[:, 0] == anchor])
        best = np.sort(every.gains[every.groups[:, 0] == anchor])[-keep:]
        np.testing.assert_array_equal(some_gains, best)


@pytest.mark.parametrize("limit", [1, 5, 50])
def test_what_is_left_open_counts_as_gained(limit: int) -> None:
    rng = np.random.default_rng(1)
    X, prices = rng.standard_normal((60, 3)), rng.normal(1.0, 0.3, 60)
    pricer = Pricer(CentredRecords.from_array(X), 5)
    exact = pricer.price_groups(prices, 5, 0.0, 1, 10**6).highest
    assert (pricer.price_groups(prices, 5, 0.0, 1, limit).highest >= exact).all()


def test_too_many_groups_are_not_passed_over_in_silence() -> None:
    rng = np.random.default_rng(1)
    pricer = Pricer(CentredRecords.from_array(rng.standard_normal((60, 3))), 3)
    assert not pricer.price_groups(
        np.full(60, 9.0), 3, 0.0, 10**6, 10**6, capacity=50
    ).complete


@pytest.mark.parametrize("k", [2, 3])
def test_any_prices_prove_something_true(k: int) -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2 * k, 9))
        X = rng.lognormal(0.0, 1.0, (n, 2))
        prices = rng.normal(0.5, 1.0, n) * rng.exponential(1.0)
        pricer, optimum = Pricer(CentredRecords.from_array(X), k), least_sse(X, k)
        plain_pricing = pricer.price_groups(prices, k, 0.0, 1, 10**6)
        assert safe_dual_bound(prices, NO_CUTS, plain_pricing.highest, k) <= optimum
        cuts = random_cuts(rng, n, 6)
        highest = np.zeros(n)
        for s in range(k, 2 * k):
            pricing = pricer.price_groups(prices, s, 0.0, 1, 10**6, cuts)
            highest = np.maximum(highest, pricing.highest)
        assert safe_dual_bound(prices, cuts, highest, 2 * k - 1) <= optimum


def test_nothing_is_said_of_anchors_that_were_not_looked_at() -> None:
    pricer = Pricer(
        CentredRecords.from_array(np.random.default_rng(0).standard_normal((500, 2))), 3
    )
    pricing = pricer.price_groups(
        np.ones(500), 3, 0.0, 1, 10**6, ctx=RunContext(enough=lambda: True)
    )
    assert np.isinf(pricing.highest).all()
    assert safe_dual_bound(np.ones(500), NO_CUTS, pricing.highest, 3) == -np.inf


def test_cancel_is_answered() -> None:
    pricer = Pricer(
        CentredRecords.from_array(np.random.default_rng(0).standard_normal((50, 2))), 3
    )
    with pytest.raises(Cancelled):
        pricer.price_groups(
            np.ones(50), 3, 0.0, 1, 10, ctx=RunContext(cancelled=lambda: True)
        )
