"""Distances of rows, of few coordinates and of many."""

import numpy as np
import pytest

from engine.kernels.records.distance import sq_dist, sq_dist_of_rows


@pytest.mark.parametrize("p", [1, 3, 15, 16, 17, 24, 31, 86])
def test_rows_are_as_far_apart_as_points(p: int) -> None:
    rng = np.random.default_rng(p)
    A, B = rng.normal(size=(4, p)), rng.normal(size=(5, p))
    for i in range(4):
        for j in range(5):
            expected = float(np.square(A[i] - B[j]).sum())
            assert sq_dist_of_rows(A, i, B, j) == pytest.approx(expected, rel=1e-13)
    assert sq_dist_of_rows(A, 2, A, 2) == 0.0


def test_few_coordinates_are_added_in_their_order() -> None:
    X = np.random.default_rng(1).normal(size=(2, 15))
    assert sq_dist_of_rows(X, 0, X, 1) == sq_dist(X[0], X[1])
