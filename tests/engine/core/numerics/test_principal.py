"""Principal components: truths about the plane that groups are drawn in."""

import numpy as np
import pytest

from engine.core.errors import ParameterError
from engine.core.numerics.principal import principal_components


def cloud(n=200, p=5, seed=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 100.0


def test_equals_the_singular_value_decomposition():
    X = cloud()
    centred = X - X.mean(axis=0)
    _, singular, rows = np.linalg.svd(centred, full_matrices=False)
    components = principal_components(X)
    np.testing.assert_allclose(
        components.shares, singular[:2] ** 2 / (singular**2).sum(), rtol=1e-10
    )
    np.testing.assert_allclose(
        np.abs(components.loadings @ rows[:2].T), np.eye(2), atol=1e-8
    )
    np.testing.assert_allclose(components.scores, centred @ components.loadings.T)


def test_all_components_explain_everything_and_keep_distances():
    X = cloud(50, 4)
    components = principal_components(X, 4)
    assert components.shares.sum() == pytest.approx(1.0)
    assert (np.diff(components.shares) <= 0).all()
    np.testing.assert_allclose(
        np.square(components.scores[0] - components.scores[7]).sum(),
        np.square(X[0] - X[7]).sum(),
    )


def test_the_largest_loading_is_positive_whatever_the_order_of_records():
    X = cloud()
    components = principal_components(X)
    turned = principal_components(X[::-1].copy())
    for row in components.loadings:
        assert row[np.abs(row).argmax()] > 0
    np.testing.assert_allclose(components.loadings, turned.loadings, atol=1e-9)


def test_two_identical_columns_share_the_first_component_with_one_sign():
    x = np.arange(10.0)
    components = principal_components(np.column_stack([x, x]))
    np.testing.assert_allclose(components.loadings[0], np.full(2, np.sqrt(0.5)))
    assert components.shares[0] == pytest.approx(1.0)


def test_one_column_has_an_empty_second_component():
    components = principal_components(np.array([[1.0], [2.0], [6.0]]))
    np.testing.assert_allclose(components.scores, [[-2, 0], [-1, 0], [3, 0]])
    assert components.shares.tolist() == [1.0, 0.0]
    assert components.loadings.tolist() == [[1.0], [0.0]]


def test_records_that_are_all_equal_explain_nothing():
    components = principal_components(np.ones((4, 3)))
    assert not components.shares.any()
    assert not components.scores.any()


def test_fewer_than_one_component_is_refused():
    with pytest.raises(ParameterError, match="at least 1"):
        principal_components(np.ones((4, 3)), 0)
