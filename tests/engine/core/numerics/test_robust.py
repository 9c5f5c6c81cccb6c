import numpy as np
import pytest
from sklearn.covariance import MinCovDet

from engine.core.numerics.robust import estimate_robust_spread


def with_outliers(n: int = 200, p: int = 3) -> np.ndarray:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, p)) @ rng.standard_normal((p, p))
    X[: n // 5] += 50.0
    return X


def test_is_the_minimum_covariance_determinant() -> None:
    X = with_outliers()
    spread, direct = estimate_robust_spread(X, 0), MinCovDet(random_state=0).fit(X)
    np.testing.assert_allclose(spread.covariance, direct.covariance_, rtol=0.02)
    np.testing.assert_allclose(spread.centre, direct.location_, atol=0.05)
    inverse = np.linalg.inv(spread.covariance)
    Z = X - spread.centre
    expected = np.einsum("ij,jk,ik->i", Z, inverse, Z)
    np.testing.assert_allclose(spread.sq_mahalanobis(X), expected, rtol=1e-6, atol=1e-5)
    assert not spread.singular


def test_outliers_do_not_move_it() -> None:
    X = with_outliers()
    distance = estimate_robust_spread(X, 0).sq_mahalanobis(X)
    assert distance[:40].min() > 10 * distance[40:].max()


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_the_scale_of_a_column_changes_no_distance(shift: float) -> None:
    X = with_outliers()
    expected = estimate_robust_spread(X, 0).sq_mahalanobis(X)
    scaled = X * np.array([1e-3, 1.0, 1e4]) + shift
    np.testing.assert_allclose(
        estimate_robust_spread(scaled, 0).sq_mahalanobis(scaled), expected, rtol=1e-3
    )


def test_where_half_of_the_records_do_not_differ_all_of_them_are_asked() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2))
    X[:80, 1] = 3.0
    spread = estimate_robust_spread(X, 0)
    assert spread.singular
    assert np.isfinite(spread.sq_mahalanobis(X)).all()
    assert spread.covariance[1, 1] == pytest.approx(X[:, 1].var(), rel=0.5)


@pytest.mark.parametrize(
    "X",
    [
        np.full((10, 2), 0.1),
        np.repeat(np.eye(2), [9, 1], axis=0),
        np.arange(6.0).reshape(3, 2),
        np.column_stack([np.arange(20.0), 2 * np.arange(20.0)]),
        1e9 + np.random.default_rng(0).standard_normal((40, 2)),
    ],
    ids=["equal", "two points", "few", "a line", "far from zero"],
)
def test_degenerate_tables_have_finite_distances(X: np.ndarray) -> None:
    distance = estimate_robust_spread(X, 0).sq_mahalanobis(X)
    assert distance.shape == (len(X),)
    assert np.isfinite(distance).all()


def test_equal_records_are_equally_far() -> None:
    X = np.random.default_rng(2).integers(0, 3, (60, 3)).astype(float)
    distance = estimate_robust_spread(X, 0).sq_mahalanobis(X)
    for record in np.unique(X, axis=0):
        assert len(set(distance[(record == X).all(axis=1)])) == 1
