"""Moments and moves of numbers: by hand, by plain numpy, and where nothing changes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.data.kinds import Kind
from engine.measures import MeasuredRelease, measures
from tests.engine.measures.tables import averaged, replaced, score

MOVES = (
    "il1s",
    "eigenvalues",
    "means",
    "variances",
    "quantiles",
    "correlations",
    "kolmogorov-smirnov",
    "wasserstein",
)
"""Every measure that compares numbers before and after."""


def drawn(n: int = 60, p: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    before = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 7
    return before, averaged(before, np.arange(n) // 3).released


def test_il1s_by_hand_and_as_sdcmicro_sums_it() -> None:
    before = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    after = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    figure = score("il1s", replaced(before, after))
    # The standard deviation, by n - 1, is 2; the second column is constant.
    expected = (1 + 0 + 1) / 3 / (2 * math.sqrt(2))
    assert figure.per_column == pytest.approx({"x0": expected, "x1": 0.0})
    assert figure.value == pytest.approx(expected / 2)
    assert f"{3 * expected:.4f}" in figure.note


def test_axes_without_variation_are_left_out_and_said() -> None:
    parts, moved = drawn(p=2)
    sums = np.column_stack([parts, parts.sum(axis=1)])
    after = np.column_stack([moved, moved.sum(axis=1)])
    figure = score("eigen", replaced(sums, after))
    assert figure.value < 1.0
    assert figure.note == "1 axis without any variation left out."


def test_a_column_that_became_constant_has_no_correlation_left() -> None:
    before = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    after = np.column_stack([before[:, 0], np.ones(3)])
    assert score("correlations", replaced(before, after)).value == pytest.approx(1.0)


@pytest.mark.parametrize("name", MOVES)
def test_without_numbers_there_is_no_figure(name: str) -> None:
    protected = replaced(np.zeros((4, 1)), np.zeros((4, 1)))
    nominal = replace(protected.points.attributes[0], kind=Kind.NOMINAL)
    space = replace(protected.points.space, attributes=(nominal,))
    points = replace(protected.points, space=space)
    figure = score(name, replace(protected, points=points))
    assert math.isnan(figure.value)
    assert figure.note == "No quasi-identifier is a number."


def test_one_column_has_no_correlations() -> None:
    figure = score("correlations", replaced([1, 2, 3], [1, 1, 3]))
    assert math.isnan(figure.value)
    assert "no two" in figure.note


def test_rounded_values_are_those_that_count() -> None:
    before = np.array([[0.0], [1.0], [5.0], [6.0]])
    exact = averaged(before, [0, 0, 1, 1])
    protected: MeasuredRelease = replace(exact, rounded=np.floor(exact.released))
    assert measures.get("means")(exact).value == pytest.approx(0.0, abs=1e-12)
    assert measures.get("means")(protected).value > 1.0
