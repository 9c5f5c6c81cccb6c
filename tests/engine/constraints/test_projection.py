"""Projected values satisfy rules and bounds, and nothing nearer does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from engine.constraints.projection import (
    LinearLimits,
    nearest_point_within_limits,
    project_within_limits_with_mask,
)
from engine.constraints.rules import parse_rules
from tests.engine.constraints.arrays import linear_arrays

COLUMNS = ("a", "b", "c", "d")
SETS = [
    ("a + b = c", "a >= 0", "b >= 0"),
    ("a + b = c", "0 <= c <= 10", "a >= 0", "b >= 0"),
    ("1.16*a + 1.07*b = c", "a >= 0", "b >= 0", "d <= 3"),
    ("a + b = c", "c + d = 20", "0 <= d <= 15", "a >= 1", "b >= 1"),
    ("a + b + c + d = 10", "0 <= a <= 4", "0 <= b <= 4", "0 <= c <= 4", "0 <= d <= 4"),
    ("a >= 0", "b <= 5"),
]
number = st.floats(-100, 100).map(lambda x: round(x, 3))
records = st.lists(st.tuples(number, number, number, number), min_size=1, max_size=6)


def bounds(low, high, n_records=1):
    """Return limits of columns alone, without inequalities."""
    return LinearLimits(low, high, np.empty((0, low.size)), np.empty((n_records, 0)))


@pytest.mark.parametrize("texts", SETS)
@given(rows=records)
def test_projected_values_satisfy_everything_and_stay_when_projected_again(texts, rows):
    rules = parse_rules(texts, COLUMNS)
    projected = rules.project(np.array(rows))
    assert not rules.broken(projected).any()
    _, _, lower, upper = linear_arrays(rules)
    assert (projected >= lower).all()
    assert (projected <= upper).all()
    assert rules.project(projected) is projected


@pytest.mark.parametrize("texts", SETS)
def test_nothing_that_satisfies_them_is_nearer(texts):
    # Checked by a general solver that knows nothing of active sets.
    rules = parse_rules(texts, COLUMNS)
    values = np.random.default_rng(3).normal(0, 20, (12, 4))
    projected = rules.project(values)
    A, b, lower, upper = linear_arrays(rules)
    for value, point in zip(values, projected, strict=True):
        best = minimize(
            lambda x, v: ((x - v) ** 2).sum(),
            np.clip(value, lower, upper),
            args=(value,),
            jac=lambda x, v: 2 * (x - v),
            bounds=list(zip(lower, upper, strict=True)),
            constraints=[LinearConstraint(A, b, b)] if len(A) else [],
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        )
        # It stops at 1e-12 with or without calling that a success.
        np.testing.assert_allclose(A @ best.x, b, atol=1e-6)
        distance = np.linalg.norm(point - value)
        np.testing.assert_allclose(
            distance, np.linalg.norm(best.x - value), rtol=1e-6, atol=1e-6
        )


@pytest.mark.parametrize("texts", SETS)
def test_the_least_distance_problem_has_the_same_points(texts):
    rules = parse_rules(texts, COLUMNS)
    values = np.random.default_rng(4).normal(0, 30, (40, 4))
    A, b, lower, upper = linear_arrays(rules)
    points, met_mask = project_within_limits_with_mask(
        A, np.broadcast_to(b, (40, b.size)), values, bounds(lower, upper, 40)
    )
    assert met_mask.all()
    for value, point in zip(values, points, strict=True):
        nearest_point = nearest_point_within_limits(
            A, b, value, bounds(lower, upper), 0
        )
        np.testing.assert_allclose(nearest_point, point, atol=1e-8)


def test_without_active_bounds_it_is_the_closed_form():
    free = parse_rules(("a + b = c",), COLUMNS)
    bounded = parse_rules(("a + b = c", "a >= -1000", "c <= 1000"), COLUMNS)
    values = np.random.default_rng(5).normal(0, 20, (50, 4))
    np.testing.assert_array_equal(free.project(values), bounded.project(values))
    normal = np.array([1.0, 1.0, -1.0, 0.0])
    closed = values - np.outer(values @ normal, normal) / 3
    np.testing.assert_allclose(free.project(values), closed, atol=1e-12)


def test_where_there_is_no_point_it_is_said():
    A, b = np.array([[1.0, 1.0]]), np.array([[-1.0]])
    _, met_mask = project_within_limits_with_mask(
        A, b, np.ones((1, 2)), bounds(np.zeros(2), np.full(2, np.inf))
    )
    assert not met_mask.any()


def test_large_and_small_numbers_keep_rules_to_a_billionth():
    rules = parse_rules(("a + b = c", "a >= 0", "b >= 0"), COLUMNS)
    for size in (1e-9, 1.0, 1e6, 1e12):
        values = np.random.default_rng(6).normal(0, size, (60, 4))
        projected = rules.project(values)
        assert not rules.broken(projected).any()
        assert (projected[:, :2] >= 0).all()


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        # Only one point is within the bounds, and rounding errors hide it.
        (("3*b = c", "0.07*a = 0.5*b", "2*b - 3*a = d", "a <= 0", "a >= 0"), 7.0),
        (("a + b = c", "0.1*a + 0.2*b = 0.3", "c = 3", "b >= -1.7", "a >= 0.1"), 1e6),
        # A quadratic programme of another solver gave this one up.
        (
            (
                "2*a + 0.07*d + b = 1.16*c - 0.5",
                "d + 0.07*c = 0.07*b - 0.5",
                "a >= 10",
                "b <= 0",
            ),
            -34.8,
        ),
    ],
)
def test_corners_are_found(texts, value):
    rules = parse_rules(texts, COLUMNS)
    values = np.random.default_rng(9).normal(value, 30, (200, 4))
    assert not rules.broken(rules.project(values)).any()
    A, b, lower, upper = linear_arrays(rules)
    for row in values[:50]:
        nearest_point = nearest_point_within_limits(A, b, row, bounds(lower, upper), 0)
        np.testing.assert_allclose(
            nearest_point, rules.project(row[None])[0], atol=1e-7, rtol=1e-7
        )
