from fractions import Fraction
from functools import cache

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.typing import Values
from engine.kernels.univariate import runs
from engine.methods.univariate.hansen_mukherjee import HansenMukherjee
from tests.reference.hansen_mukherjee import hansen_mukherjee


def group(values: Values, k: int) -> np.ndarray:
    return HansenMukherjee(k).fit(np.asarray(values, dtype=float)[:, None]).labels_


def sse(values: Values, labels: np.ndarray) -> float:
    means = np.bincount(labels, weights=values) / np.bincount(labels)
    return float(np.square(values - means[labels]).sum())


def exact_cost(run: list[Fraction]) -> Fraction:
    total = sum(run, Fraction(0))
    return sum((v * v for v in run), Fraction(0)) - total * total / len(run)


def exact_optimum(values: Values, k: int) -> Fraction:
    """The least SSE, in rational numbers."""
    ordered = [Fraction(v) for v in np.sort(values).tolist()]

    @cache
    def least(j: int) -> Fraction | None:
        if j == 0:
            return Fraction(0)
        costs = [
            before + exact_cost(ordered[i:j])
            for i in range(max(0, j - 2 * k + 1), j - k + 1)
            if (before := least(i)) is not None
        ]
        return min(costs, default=None)

    optimum = least(len(ordered))
    assert optimum is not None
    return optimum


def exact_sse(values: Values, labels: np.ndarray) -> Fraction:
    return sum(
        (
            exact_cost([Fraction(v) for v in values[labels == g].tolist()])
            for g in range(labels.max() + 1)
        ),
        Fraction(0),
    )


def test_groups_are_numbered_from_low_to_high_values() -> None:
    values = np.random.default_rng(0).standard_normal(500)
    labels = group(values, 7)
    assert (np.diff(labels[np.argsort(values)]) >= 0).all()


def test_equal_values_keep_the_order_of_their_records() -> None:
    np.testing.assert_array_equal(group(np.zeros(7), 2), np.sort(group(np.zeros(7), 2)))


def test_the_shortest_path_need_not_have_groups_of_k() -> None:
    values = np.array([10, 11, 12, 50, 51, 52, 100, 101, 102, 103])
    labels = group(values, 3)
    np.testing.assert_array_equal(labels, [0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    # both columns of the example are equal, so one shows the same information loss
    loss = 100 * sse(values, labels) / np.square(values - values.mean()).sum()
    assert round(loss, 3) == 0.063


@given(data=st.data())
def test_both_searches_find_the_optimum(data: st.DataObject) -> None:
    k = data.draw(st.integers(runs.MAX_DIRECT_K - 4, runs.MAX_DIRECT_K + 30))
    n = data.draw(st.integers(2 * k, 7 * k))
    largest_value = data.draw(st.sampled_from([3, 50, 10**6]))
    values = np.array(
        data.draw(st.lists(st.integers(0, largest_value), min_size=n, max_size=n))
    )
    X = values[:, None].astype(float)
    assert sse(values, group(values, k)) == pytest.approx(
        sse(values, hansen_mukherjee(X, k)), rel=1e-9, abs=1e-12
    )


@pytest.mark.parametrize("k", [2, 5, runs.MAX_DIRECT_K, 40])
def test_both_searches_equal_the_twin_where_the_optimum_is_unique(k: int) -> None:
    values = np.random.default_rng(k).lognormal(0, 2, 400)
    np.testing.assert_array_equal(
        group(values, k), hansen_mukherjee(values[:, None], k)
    )


@pytest.mark.parametrize("k", [2, 3, runs.MAX_DIRECT_K + 1])
@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_is_optimal_to_the_last_digits_over_eighteen_orders_of_magnitude(
    k: int, shift: float
) -> None:
    rng = np.random.default_rng(k)
    values = shift + 10.0 ** rng.uniform(-9, 9, 4 * k + 13) * rng.choice(
        [-1, 1], 4 * k + 13
    )
    loss = exact_sse(values, group(values, k))
    assert loss <= exact_optimum(values, k) * (1 + Fraction(1, 10**12))


def test_tight_groups_beside_a_wide_gap_are_cut_exactly() -> None:
    tight = np.array([0, 1, 3, 4]) * 1e-9
    values = np.concatenate([tight, 1e6 + np.array([0, 1, 3, 4])])
    np.testing.assert_array_equal(group(values, 2), [0, 0, 1, 1, 2, 2, 3, 3])


def test_values_near_the_largest_number_still_give_groups() -> None:
    values = 1.7e308 * np.linspace(-1.0, 1.0, 50)
    sizes = np.bincount(group(values, 4))
    assert sizes.min() >= 4


def test_work_in_many_small_steps_gives_the_same_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(0).standard_normal(300)
    at_once = {k: group(values, k) for k in (3, 20)}
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    for k, labels in at_once.items():
        np.testing.assert_array_equal(group(values, k), labels)


@pytest.mark.filterwarnings("ignore")
def test_equals_microagg1d_on_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    # Compiled, the other library is ready after the better part of a minute.
    with monkeypatch.context() as while_importing:
        while_importing.setattr(numba.config, "DISABLE_JIT", True)
        from microagg1d import univariate_microaggregation

    for k in (2, 5, 15, 16, 300):
        rng = np.random.default_rng(k)
        for values in (
            rng.standard_normal(1000),
            rng.lognormal(0, 3, 1000),
            rng.integers(0, 100, 1000).astype(float),
        ):
            loss = sse(values, group(values, k))
            other_labels = univariate_microaggregation(values, k, method="wilber")
            assert loss <= sse(values, other_labels) * (1 + 1e-12)
            assert loss == pytest.approx(sse(values, other_labels), rel=1e-9)
