from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.univariate.runs import (
    MAX_DIRECT_K,
    extend_run_table,
    make_run_table,
    order_ties_by_record,
)


@given(st.lists(st.integers(-3, 3), max_size=60))
def test_equal_values_keep_the_order_of_their_records(values: list[int]) -> None:
    column = np.array(values, dtype=float)
    order = np.argsort(column)
    np.testing.assert_array_equal(
        order_ties_by_record(column[order], order), np.argsort(column, kind="stable")
    )


@pytest.mark.parametrize("k", [2, 3, MAX_DIRECT_K - 1, MAX_DIRECT_K, 40])
def test_every_prefix_has_its_least_sse(k: int) -> None:
    values = np.sort(np.random.default_rng(k).lognormal(0, 2, 5 * k + 3))
    n = values.size
    least_sse = np.full(n + 1, np.inf)
    least_sse[0] = 0.0
    for j in range(k, n + 1):
        starts = range(max(0, j - 2 * k + 1), j - k + 1)
        least_sse[j] = min(least_sse[i] + (j - i) * values[i:j].var() for i in starts)
    runs = make_run_table(values, k)
    extend_run_table(runs, k, k, n + 1)
    np.testing.assert_allclose(runs.least, least_sse, rtol=1e-12)


def test_no_group_of_the_search_is_smaller_than_k_or_larger_than_2k_minus_1() -> None:
    values = np.sort(np.random.default_rng(0).lognormal(0, 3, 1000))
    for k in (4, 30):
        runs = make_run_table(values, k)
        extend_run_table(runs, k, k, 1001)
        sizes = np.arange(k, 1001) - runs.begin[k:]
        assert sizes.min() == k
        assert sizes.max() <= 2 * k - 1
