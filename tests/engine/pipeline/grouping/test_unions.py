"""Groups of earlier groups: large enough, whole, and near the best of all."""

from collections.abc import Iterator

import numpy as np
import pytest

from engine import partition
from engine.core.errors import InfeasibleError
from engine.core.numerics.statistics import within_group_sse
from engine.pipeline.grouping.unions import partition_into_group_unions
from engine.points.base import Points


def divisions(n: int) -> Iterator[list[int]]:
    """Yield every way to put n things into sets."""
    if n == 0:
        yield []
        return
    for rest in divisions(n - 1):
        for set_index in range(max(rest, default=-1) + 2):
            yield [*rest, set_index]


def everybody(n: int) -> list[np.ndarray]:
    return [np.arange(n)]


@pytest.mark.parametrize("seed", range(6))
def test_unions_are_near_the_best_of_all(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(24, 2))
    earlier = partition(X, k=3, scaling="none")
    unions = partition_into_group_unions(
        Points.from_array(X), earlier, 6, everybody(24)
    )
    best = np.inf
    for division in divisions(int(earlier.max()) + 1):
        labels = np.array(division)[earlier]
        if np.bincount(labels).min() >= 6:
            best = min(best, within_group_sse(X, labels))
    loss = within_group_sse(X, unions.labels)
    assert best - 1e-9 <= loss <= 1.25 * best


@pytest.mark.parametrize("k", [2, 3, 5, 20])
def test_every_union_is_of_whole_groups_and_large_enough(k: int) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    earlier = partition(X, k=3)
    unions = partition_into_group_unions(
        Points.from_array(X), earlier, k, everybody(200)
    )
    assert unions.sizes.min() >= k
    for group in range(earlier.max() + 1):
        assert np.unique(unions.labels[earlier == group]).size == 1
    if k <= 3:  # nothing has to be merged, so nothing is
        assert unions.n_groups == earlier.max() + 1


def test_groups_across_strata_and_small_strata_are_refused() -> None:
    points = Points.from_array(np.arange(12.0)[:, None])
    earlier = np.arange(12) // 3
    strata = [np.arange(6), np.arange(6, 12)]
    assert partition_into_group_unions(
        points, earlier, 4, strata
    ).labels.tolist() == 6 * [0] + 6 * [1]
    with pytest.raises(InfeasibleError, match="several strata"):
        partition_into_group_unions(
            points, earlier, 3, [np.arange(4), np.arange(4, 12)]
        )
    with pytest.raises(InfeasibleError, match="fewer than k = 7"):
        partition_into_group_unions(points, earlier, 7, strata)
    with pytest.raises(InfeasibleError, match="2 people, k = 3"):
        partition_into_group_unions(
            points, earlier, 3, strata, persons=np.arange(12) // 3
        )
