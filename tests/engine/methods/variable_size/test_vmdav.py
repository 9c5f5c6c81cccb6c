import numpy as np
import pytest

from engine.analysis.published.literature import PrintedCell, cells_apart
from engine.methods.base import make_method
from engine.methods.variable_size.vmdav import GAMMA_GRID, VMDAV
from tests.casc import information_loss, zscored
from tests.reference.vmdav import vmdav

TEN = np.repeat([[10, 11, 12, 50, 51, 52, 100, 101, 102, 103]], 2, axis=0).T * 1.0


def test_finds_clusters_of_different_sizes() -> None:
    labels = VMDAV(3, gamma=1.1).fit(TEN).labels_
    np.testing.assert_array_equal(labels, [0, 0, 0, 2, 2, 2, 1, 1, 1, 1])


def test_without_gain_groups_have_k_records_and_leftovers_join_centroids() -> None:
    X = np.random.default_rng(3).standard_normal((62, 3))
    sizes = np.bincount(VMDAV(4, gamma=0.0).fit(X).labels_)
    assert sizes.size == 15
    assert np.count_nonzero(sizes > 4) <= 2


def test_groups_do_not_grow_by_gain_beyond_2k_minus_1() -> None:
    X = np.arange(21.0)[:, None]
    sizes = np.bincount(VMDAV(4, gamma=10.0).fit(X).labels_)
    np.testing.assert_array_equal(sizes, [7, 7, 7])


@pytest.mark.parametrize(("gamma", "size"), [(0.5, 2), (0.51, 3)])
def test_a_record_joins_only_where_it_is_closer_than_gain_allows(
    gamma: float, size: int
) -> None:
    # the first group is 0 and 1; 3 lies 2 from it and 4 from the next record, 7
    X = np.array([[0.0], [1.0], [3.0], [7.0], [8.0], [8.0], [8.0]])
    labels = VMDAV(2, gamma=gamma).fit(X).labels_
    assert np.count_nonzero(labels == 0) == size


@pytest.mark.parametrize("gamma", [0.0, 0.2, 0.7, 1.1, 3.0, 10.0])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_equals_its_twin_at_every_gain(gamma: float, k: int) -> None:
    rng = np.random.default_rng(k)
    for X in (
        rng.standard_normal((90, 3)),
        rng.integers(0, 4, (60, 2)).astype(float),
        1000.0 * rng.integers(0, 8, (70, 1)) + rng.random((70, 2)),
    ):
        np.testing.assert_array_equal(
            VMDAV(k, gamma=gamma).fit(X).labels_, vmdav(X, k, gamma)
        )
        np.testing.assert_array_equal(
            VMDAV(k, gamma=gamma, rest="record").fit(X).labels_,
            vmdav(X, k, gamma, "record"),
        )


@pytest.mark.parametrize(
    "cell", [cell for cell in cells_apart() if cell.method == "vmdav"]
)
def test_loses_what_its_paper_prints(cell: PrintedCell) -> None:
    X = zscored(cell.dataset)
    method = make_method("vmdav", cell.k, dict(cell.parameters))
    assert f"{information_loss(X, method.fit(X).labels_):.2f}" == cell.text


def test_auto_is_the_best_of_its_grid() -> None:
    X = zscored("tarragona")
    losses = [information_loss(X, VMDAV(3, gamma=g).fit(X).labels_) for g in GAMMA_GRID]
    auto = VMDAV(3, gamma="auto").fit(X)
    assert information_loss(X, auto.labels_) == pytest.approx(min(losses), rel=1e-12)
    assert auto.gamma_ == GAMMA_GRID[int(np.argmin(losses))]


def test_auto_equals_its_twin() -> None:
    X = np.random.default_rng(4).standard_normal((40, 2))
    np.testing.assert_array_equal(
        VMDAV(3, gamma="auto").fit(X).labels_, vmdav(X, 3, "auto")
    )


def test_of_equally_good_gains_auto_takes_the_smallest() -> None:
    assert VMDAV(3, gamma="auto").fit(np.ones((20, 2))).gamma_ == 0.0
