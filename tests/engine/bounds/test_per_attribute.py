import numpy as np
import pytest

from engine.bounds import nearest_bound
from engine.bounds.per_attribute import per_attribute_bound
from tests.reference.brute_force import least_sse


@pytest.mark.parametrize(("n", "k"), [(4, 2), (7, 2), (8, 3), (9, 4), (5, 3)])
def test_is_the_sum_of_what_each_attribute_loses_at_best(n: int, k: int) -> None:
    for seed in range(4):
        X = np.random.default_rng(seed).lognormal(0.0, 1.0, (n, 3))
        best = sum(least_sse(X[:, [j]], k) for j in range(3))
        bound = per_attribute_bound(X, k)
        assert bound.sse <= best
        assert bound.sse == pytest.approx(best, rel=1e-9)
        assert bound.per_cent == pytest.approx(100 * bound.sse / (n * X.var(0).sum()))


def test_holds_far_from_zero() -> None:
    X = np.random.default_rng(1).integers(0, 100, (200, 2)).astype(np.float64)
    near, far = (per_attribute_bound(X + offset, 5).sse for offset in (0.0, 1e12))
    assert near == pytest.approx(far, rel=1e-9)


def test_lies_above_the_nearest_neighbours_of_one_attribute() -> None:
    X = np.random.default_rng(2).standard_normal((300, 1))
    assert per_attribute_bound(X, 4).sse >= nearest_bound(X, 4).sse
