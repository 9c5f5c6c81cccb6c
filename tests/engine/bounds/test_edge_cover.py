"""LB1 is what its formula says, and no partition loses less."""

import numpy as np
import pytest

from engine import partition
from engine.bounds import edge_cover, edge_cover_bound, excess, nearest_bound
from engine.bounds.base import CentredRecords
from engine.bounds.edge_cover import MAX_EXACT_PAIRS
from engine.bounds.excess import safe_prices_and_overpriced_pairs
from engine.core.context import SILENT
from engine.kernels.index.leaves import FANOUT, make_leaf_tree
from tests.casc import CELLS, information_loss, zscored
from tests.engine.bounds.tables import small_tables, solved_tables
from tests.reference.brute_force import least_sse
from tests.reference.edge_cover import certified
from tests.reference.edge_cover import edge_cover_bound as by_definition


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("p", [1, 2, 6])
def test_reaches_the_linear_programme(k: int, p: int) -> None:
    X = np.random.default_rng(k * p).lognormal(size=(60, p))
    bound, exact = edge_cover_bound(X, k).sse, by_definition(X, k)
    assert bound <= exact * (1 + 1e-9)
    assert bound >= 0.998 * exact


def proven(X: np.ndarray, k: int, price: np.ndarray) -> float:
    """What prices prove, by the pairs that the search finds for them."""
    records = CentredRecords.from_array(X)
    leaves = make_leaf_tree(records.X)
    order = leaves.order
    moved = CentredRecords(
        records.X[order], records.sst, records.slack, records.relative
    )
    price, pairs = safe_prices_and_overpriced_pairs(leaves, moved, price[order], SILENT)
    squared_distances = np.square(moved.X[pairs[:, 0]] - moved.X[pairs[:, 1]]).sum(
        axis=1
    )
    excess = price[pairs].sum(axis=1) - squared_distances
    assert (excess > -1e-9 * squared_distances.max(initial=0.0)).all()
    assert len(np.unique(np.sort(pairs), axis=0)) == len(pairs)
    return float((k - 1) * price.sum() - excess.sum()) / k


@pytest.mark.parametrize("n", [FANOUT - 1, FANOUT, 17 * FANOUT + 5, 300])
@pytest.mark.parametrize("seed", range(6))
def test_the_search_misses_no_pair_whose_prices_exceed_the_distance(
    n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X, k = rng.standard_normal((n, 1 + seed)), 3
    price = rng.exponential(2.0 ** rng.integers(-3, 4), n)
    assert proven(X, k, price) == pytest.approx(certified(X, k, price), rel=1e-9)


def test_the_search_makes_room_for_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess, "_RECORDS_PER_CALL", 3)
    X = small_tables(1, 3, 200)[2]
    price = np.full(200, 9.0)
    assert proven(X, 3, price) == pytest.approx(certified(X, 3, price), rel=1e-9)


def test_wrong_prices_still_prove_something_true() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, k = small_tables(seed, 1, 8)[0], int(rng.integers(2, 4))
        price = rng.exponential(1.0, 8) * float(X.var())
        assert proven(X, k, price) <= least_sse(X, k) * (1 + 1e-12)


def without_time(monkeypatch: pytest.MonkeyPatch, **settings: float) -> None:
    """Treat small tables as large ones."""
    monkeypatch.setattr(edge_cover, "MAX_EXACT_RECORDS", 0)
    monkeypatch.setattr(edge_cover, "FEW", 0)
    monkeypatch.setattr(excess, "MAX_UNCONDITIONAL_RECORDS", 0)
    for name, value in settings.items():
        room = excess if name == "MAX_WORK" else edge_cover
        monkeypatch.setattr(room, name, value)


@pytest.mark.parametrize("work", [2e10, 3e4, 3e3, 0.0])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [6, 8, 9])
def test_never_above_brute_force_where_there_is_no_time(
    n: int, k: int, work: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_time(monkeypatch, MAX_WORK=work, PART_RECORDS=4, MAX_EXACT_PAIRS=1)
    for X, optimum in solved_tables(60, n, k):
        assert edge_cover_bound(X, k).sse <= optimum


@pytest.mark.parametrize("shape", ["normal", "heavy"])
def test_parts_and_fewer_steps_cost_little(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((6000, 4))
    X = X if shape == "normal" else np.exp(X + rng.standard_normal((6000, 1)))
    whole = edge_cover_bound(X, 5).sse
    without_time(monkeypatch, PART_RECORDS=1000)
    parted = edge_cover_bound(X, 5).sse
    assert nearest_bound(X, 5).sse < parted
    assert 0.99 * whole < parted < 1.001 * whole


def test_less_work_gives_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).standard_normal((3000, 6))
    bounds = []
    for work in (2e10, 4e6, 2e6, 1e6, 0.0):
        without_time(monkeypatch, MAX_WORK=work)
        bounds.append(edge_cover_bound(X, 5).sse)
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[-2] > bounds[-1] == 0.0


def test_where_k_is_large_fewer_pairs_count(monkeypatch: pytest.MonkeyPatch) -> None:
    X, k = np.random.default_rng(0).standard_normal((400, 3)), 40
    whole = edge_cover_bound(X, k).sse
    without_time(monkeypatch, MAX_EXACT_PAIRS=12)
    fewer = edge_cover_bound(X, k).sse
    assert 0.3 * whole < fewer < whole
    assert MAX_EXACT_PAIRS >= 99


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
