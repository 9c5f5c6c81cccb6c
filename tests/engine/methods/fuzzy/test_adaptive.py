from functools import cache

import numpy as np
import pytest

from engine.methods.fuzzy import clustering
from engine.methods.fuzzy.adaptive import AdaptiveFCM
from tests.casc import information_loss, zscored


@cache
def grouped(table: str, k: int, seed: int = 0) -> np.ndarray:
    """Group a reference table once for all that is asked of the groups."""
    return AdaptiveFCM(k, seed=seed).fit(zscored(table)).labels_


def sizes(labels: np.ndarray) -> np.ndarray:
    return np.bincount(labels)


@pytest.mark.parametrize(
    "table", ["tarragona", pytest.param("census", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("k", [3, 10])
def test_keeps_k_and_divides_nearly_all_groups_of_2k(table: str, k: int) -> None:
    group_sizes = sizes(grouped(table, k))
    assert group_sizes.min() >= k
    # What remains are groups without two fuzzy clusters of k records.
    assert group_sizes[group_sizes >= 2 * k].sum() < 0.25 * group_sizes.sum()


@pytest.mark.parametrize(
    ("table", "k", "most"),
    [
        *(("tarragona", 3, 22), ("tarragona", 10, 46)),
        pytest.param("census", 3, 9, marks=pytest.mark.slow),
        pytest.param("census", 10, 18, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_loses_little_more_than_fixed_size_methods(table, k, most, seed) -> None:
    assert information_loss(zscored(table), grouped(table, k, seed)) < most


def test_a_fuzzier_start_is_another_search() -> None:
    X = np.random.default_rng(0).standard_normal((200, 3))
    crisp, fuzzier = (AdaptiveFCM(4, m=m).fit(X).labels_ for m in (1.05, 1.6))
    assert (crisp != fuzzier).any()
    assert sizes(fuzzier).min() >= 4


def test_equal_records_stay_together_in_one_group() -> None:
    X = np.full((50, 2), 3.0)
    assert not AdaptiveFCM(3).fit(X).labels_.any()


def test_groups_follow_clusters_of_different_sizes() -> None:
    rng = np.random.default_rng(0)
    cluster = rng.permutation(np.repeat([0, 1, 2], [3, 4, 5]))
    X = 100.0 * cluster[:, None] + rng.random((12, 2))
    for seed in range(20):
        labels = AdaptiveFCM(3, seed=seed).fit(X).labels_
        assert len(set(zip(cluster.tolist(), labels.tolist(), strict=True))) == 3


def test_says_when_clusters_still_moved_and_keeps_k(monkeypatch) -> None:
    X = np.random.default_rng(0).standard_normal((100, 3))
    method = AdaptiveFCM(4).fit(X)
    assert method.warnings_ == ()
    monkeypatch.setattr(clustering, "MAX_ITERATIONS", 3)
    method.fit(X)
    assert "still moved after 3 steps" in method.warnings_[0]
    assert sizes(method.labels_).min() >= 4
