from __future__ import annotations

import numpy as np

from engine.kernels.index.layout import concatenate_groups, write_group_means


def test_groups_come_in_the_order_asked_for() -> None:
    order = np.array([4, 5, 0, 1, 2, 3])
    starts = np.array([0, 2, 5, 6])
    laid = np.empty(6, dtype=np.int64)
    concatenate_groups(order, starts, np.array([2, 0, 1]), laid)
    assert laid.tolist() == [3, 4, 5, 0, 1, 2]


def test_means_are_those_of_the_groups_records() -> None:
    rng = np.random.default_rng(0)
    X, order = rng.standard_normal((50, 3)), rng.permutation(50)
    starts = np.array([0, 7, 8, 30, 50])
    means = np.empty((4, 3))
    write_group_means(X, order, starts, means)
    for g in range(4):
        expected = X[order[starts[g] : starts[g + 1]]].mean(axis=0)
        np.testing.assert_allclose(means[g], expected, rtol=1e-12, atol=1e-15)
