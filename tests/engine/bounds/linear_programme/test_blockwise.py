"""Bounds that add up over blocks hold for all groups, also those across blocks."""

import numpy as np
import pytest

from engine.bounds import edge_cover_bound
from engine.bounds.linear_programme import blockwise
from engine.bounds.linear_programme.blockwise import blockwise_bound
from engine.bounds.linear_programme.column_generation import column_generation_bound
from engine.core.context import RunContext
from tests.engine.bounds.tables import small_tables
from tests.reference.subsets import least_sse_of_many


@pytest.mark.parametrize("most", [6_000, 4])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [6, pytest.param(9, marks=pytest.mark.slow)])
def test_never_above_brute_force_nor_below_lb1(
    n: int, k: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blockwise, "MAX_SEARCH_RECORDS", most)
    tables = small_tables(n + k, 8, n)
    optima = least_sse_of_many(tables, k)
    for X, optimum in zip(tables, optima, strict=True):
        bound = blockwise_bound(X, k, block_records=3).sse
        assert edge_cover_bound(X, k).sse <= bound <= optimum


@pytest.mark.parametrize("k", [2, 4])
def test_comes_near_to_the_bound_of_all_records_together(k: int) -> None:
    X = np.random.default_rng(k).lognormal(size=(300, 3))
    whole = column_generation_bound(X, k, use_cuts=False).sse
    cover_bound = edge_cover_bound(X, k).sse
    bound = blockwise_bound(X, k, block_records=60).sse
    assert bound <= whole * (1 + 1e-6)
    assert bound - cover_bound > 0.5 * (whole - cover_bound)


def test_one_block_is_the_linear_programme() -> None:
    X = np.random.default_rng(1).lognormal(size=(60, 2))
    whole = column_generation_bound(X, 3, use_cuts=False).sse
    assert blockwise_bound(X, 3, block_records=60).sse == pytest.approx(whole, rel=1e-3)


def test_without_time_it_is_lb1() -> None:
    X = np.random.default_rng(2).lognormal(size=(60, 2))
    ctx = RunContext(enough=lambda: True)
    assert blockwise_bound(X, 3, ctx).sse == pytest.approx(edge_cover_bound(X, 3).sse)
