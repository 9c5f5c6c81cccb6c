"""LB1 is what its formula says, and no partition loses less."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine import partition
from engine.bounds import edge_cover_bound, nearest_bound
from engine.bounds.base import Records
from engine.bounds.edge_cover import _certify, _start
from engine.context import SILENT, RunContext
from engine.errors import Cancelled
from engine.kernels.blocks import WIDTH
from tests.casc import CELLS, information_loss, zscored
from tests.reference.brute_force import least_sse
from tests.reference.edge_cover import certified
from tests.reference.edge_cover import edge_cover_bound as by_definition
from tests.reference.subsets import least_sse_of_many


def small_tables(seed: int, n_tables: int, n: int) -> np.ndarray:
    """Scattered, heavy-tailed, tied and clustered tables in turn."""
    rng = np.random.default_rng(seed)
    shape = (n_tables, n, 2)
    kinds = [
        rng.standard_normal(shape),
        rng.lognormal(0.0, 2.0, shape),
        rng.integers(0, 3, shape).astype(np.float64),
        rng.integers(0, 2, shape) * 10.0 + rng.random(shape),
    ]
    turn = np.arange(n_tables) % len(kinds)
    return np.choose(turn[:, None, None], kinds)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", range(4, 10))
def test_never_above_brute_force(k: int, n: int) -> None:
    tables = small_tables(n * k, 300, n)
    least = least_sse_of_many(tables, k)
    for X, optimum in zip(tables, least, strict=True):
        assert edge_cover_bound(X, k).sse <= optimum


@settings(max_examples=200, deadline=None)
@given(
    arrays(np.float64, (8, 2), elements=st.integers(-4, 4)),
    st.integers(2, 3),
    st.sampled_from([1.0, 1e-9, 1e9, 1 / 3]),
    st.sampled_from([0.0, 1 / 7, 1e5]),
)
def test_never_above_brute_force_where_distances_tie(
    X: np.ndarray, k: int, unit: float, offset: float
) -> None:
    X = (X + offset) * unit
    exact = X - X[0]  # whole multiples of the unit: no rounding
    assert edge_cover_bound(X, k).sse <= least_sse(exact, k) * (1 + 1e-15)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("p", [1, 2, 6])
def test_reaches_the_linear_programme(k: int, p: int) -> None:
    X = np.random.default_rng(k * p).lognormal(size=(60, p))
    bound, exact = edge_cover_bound(X, k).sse, by_definition(X, k)
    assert bound <= exact * (1 + 1e-9)
    assert bound >= 0.998 * exact


@pytest.mark.parametrize("n", [WIDTH - 1, WIDTH, 3 * WIDTH + 5])
@pytest.mark.parametrize("seed", range(3))
def test_any_prices_prove_what_all_pairs_say(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, k = rng.standard_normal((n, 3)), 3
    cover, _ = _start(Records.of(X), k, SILENT)
    cover.price[:] = rng.exponential(2.0 ** rng.integers(-3, 4), n)
    value, _ = _certify(cover, SILENT)
    moved = np.empty(n)
    moved[cover.blocks.records.reshape(-1)[:n]] = cover.price
    assert value <= certified(X, k, moved)
    assert value == pytest.approx(certified(X, k, moved), rel=1e-9)


@pytest.mark.parametrize("seed", range(200))
def test_wrong_prices_still_prove_something_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, k = small_tables(seed, 1, 8)[0], int(rng.integers(2, 4))
    cover, _ = _start(Records.of(X), k, SILENT)
    cover.price *= rng.exponential(1.0, 8)
    assert _certify(cover, SILENT)[0] <= least_sse(X, k)


@pytest.mark.parametrize(("name", "k"), CELLS)
def test_lies_between_the_nearest_bound_and_mdav(name: str, k: int) -> None:
    X = zscored(name)
    loss = information_loss(X, partition(X, k, scaling="none"))
    bound = edge_cover_bound(X, k)
    assert nearest_bound(X, k).per_cent < bound.per_cent < loss
    assert bound.kind == "edge-cover"


@pytest.mark.parametrize(
    ("name", "k", "expected"),
    [
        ("tarragona", 3, 12.97),
        ("tarragona", 5, 18.37),
        ("tarragona", 10, 26.21),
        ("census", 3, 4.14),
        ("census", 5, 5.96),
        ("census", 10, 8.83),
    ],
)
def test_figures_of_the_reference_tables(name: str, k: int, expected: float) -> None:
    assert edge_cover_bound(zscored(name), k).per_cent >= expected


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [7, 8, 40, 150])
def test_at_least_the_nearest_bound(k: int, n: int) -> None:
    for seed in range(5):
        X = np.random.default_rng(seed).lognormal(0.0, 2.0, (n, 2))
        assert edge_cover_bound(X, k).sse >= nearest_bound(X, k).sse * (1 - 1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("unit", [1.0, 1e-7, 1e7])
def test_neither_offset_nor_unit_matter(offset: float, unit: float) -> None:
    X = np.random.default_rng(0).integers(0, 1000, (200, 3)) / 64.0
    plain = edge_cover_bound(X, 3)
    moved = edge_cover_bound((X + offset) * unit, 3)
    assert moved.per_cent == pytest.approx(plain.per_cent, rel=1e-5)
    assert moved.sse <= plain.sse * unit**2 * (1 + 1e-5)


def test_equal_records_have_nothing_to_lose() -> None:
    assert edge_cover_bound(np.full((10, 2), 0.1), 3).sse == 0.0
    assert edge_cover_bound(np.repeat([[1.0], [2.0], [9.0]], 4, axis=0), 4).sse == 0.0


def test_exact_where_groups_are_pairs_of_neighbours() -> None:
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert edge_cover_bound(X, 2).sse == pytest.approx(1.0)


def test_the_same_records_give_the_same_bound() -> None:
    X = np.random.default_rng(0).standard_normal((500, 4))
    assert edge_cover_bound(X, 3) == edge_cover_bound(X, 3)


def test_progress_rises_to_one_and_cancel_is_answered() -> None:
    X = np.random.default_rng(0).standard_normal((500, 4))
    shares: list[float] = []
    edge_cover_bound(X, 3, RunContext(lambda share, stage: shares.append(share)))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    for ticks in range(len(shares)):
        asked = iter([False] * ticks + [True])
        with pytest.raises(Cancelled):
            edge_cover_bound(X, 3, RunContext(cancelled=lambda it=asked: next(it)))
