import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.numerics.statistics import (
    loss_percent,
    mean_by_group,
    mode_by_group,
    overflow_exponents,
    sse_and_sst_per_attribute,
    std_of_finite_values,
    total_sum_of_squares,
    within_group_sse,
)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), min_size=1))
def test_mode_is_the_most_frequent_value_and_of_several_the_smallest(
    records: list[tuple[int, int]],
) -> None:
    labels = np.unique([group for group, _ in records], return_inverse=True)[1]
    values = np.array([value for _, value in records], dtype=float)
    expected = []
    for group in range(labels.max() + 1):
        group_values = values[labels == group].tolist()
        expected.append(
            min(group_values, key=lambda value: (-group_values.count(value), value))
        )
    np.testing.assert_array_equal(mode_by_group(values, labels), expected)


def test_less_their_exponents_columns_are_of_the_size_of_one() -> None:
    X = np.array([[5e-324, 3.0, 0.0, 0.1], [0.0, -8.0, 0.0, -1.7e308]])
    largest = np.abs(np.ldexp(X, -overflow_exponents(X))).max(axis=0)
    assert ((largest >= 0.5) & (largest < 1.0)).tolist() == [True, True, False, True]
    assert [overflow_exponents(column) for column in X.T] == overflow_exponents(
        X
    ).tolist()


@given(st.lists(st.integers(-9, 9), max_size=6), st.sampled_from([1.0, 1e-300, 1e300]))
def test_deviation_is_that_of_what_is_finite(values: list[int], unit: float) -> None:
    deviation = std_of_finite_values(
        np.array([*values, np.nan, np.inf, -np.inf]) * unit
    )
    expected = statistics.pstdev(values) if values else 0.0
    assert deviation == pytest.approx(expected * unit)


def test_sums_of_squares_agree_with_each_other() -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.standard_normal((40, 3)), np.repeat(np.arange(8), 5)
    means = mean_by_group(X, labels)
    np.testing.assert_allclose(means[3], X[15:20].mean(axis=0))
    sse, sst = sse_and_sst_per_attribute(X, means[labels])
    assert within_group_sse(X, labels) == pytest.approx(sse.sum())
    assert total_sum_of_squares(X) == pytest.approx(sst.sum())
    weighted = sse_and_sst_per_attribute(X, means[labels], np.full(40, 2.0))
    np.testing.assert_allclose(weighted, (2 * sse, 2 * sst))


def test_a_table_without_variation_has_nothing_to_lose() -> None:
    assert loss_percent(0.0, 0.0) == 0.0
    assert loss_percent(1.0, 8.0) == 12.5
