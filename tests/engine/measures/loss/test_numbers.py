"""Moments and moves of numbers: by hand, by plain numpy, and where nothing changes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.measures import MeasuredRelease, measures
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
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

cells = st.integers(-50, 50).map(float)
tables = arrays(np.float64, st.tuples(st.integers(2, 12), st.just(3)), elements=cells)


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


@given(tables, st.data())
def test_groups_that_take_their_mean_keep_the_means(
    before: np.ndarray, data: st.DataObject
) -> None:
    n = len(before)
    labels = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    protected = averaged(before, labels)
    assert score("means", protected).value == pytest.approx(0.0, abs=1e-9)
    for name, change in score("variances", protected).per_column.items():
        assert change <= 100.0 + 1e-9, name


def test_a_run_by_means_keeps_the_means_weighted_ones_too() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.lognormal(size=(50, 3)), columns=["a", "b", "w"])
    quasi, weight = Role.QUASI_IDENTIFIER, Role.WEIGHT
    kinds = [("a", quasi), ("b", quasi), ("w", weight)]
    columns = tuple(Column(name, Kind.CONTINUOUS, role) for name, role in kinds)
    table = Table.from_frame(frame, Schema(columns))
    from engine.pipeline.evaluate import evaluate

    figures = evaluate(run(Plan(k=4), table), table, ["means", "variances"])
    assert figures["means"].value == pytest.approx(0.0, abs=1e-9)
    assert figures["variances"].value > 0.1
    medians = evaluate(run(Plan(k=4, aggregation="median"), table), table, ["means"])
    assert medians["means"].value > 0.1


def test_weights_stand_for_repeated_records() -> None:
    before, after = drawn(20)
    counts = np.random.default_rng(3).integers(1, 5, 20)
    weighted = replaced(before, after, weights=counts.astype(float))
    repeated = replaced(before.repeat(counts, axis=0), after.repeat(counts, axis=0))
    for name in ("eigenvalues", "correlations", "kolmogorov-smirnov", "variances"):
        assert score(name, weighted).value == pytest.approx(score(name, repeated).value)
    # These are per standard deviation, which stays that of the records.
    factor = before.std(axis=0, ddof=1) / before.repeat(counts, axis=0).std(
        axis=0, ddof=1
    )
    for name in ("means", "wasserstein", "quantiles"):
        weighted_figures = np.array(list(score(name, weighted).per_column.values()))
        other = np.array(list(score(name, repeated).per_column.values()))
        np.testing.assert_allclose(weighted_figures * factor, other, rtol=1e-9)


def test_a_column_that_became_constant_has_no_correlation_left() -> None:
    before = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    after = np.column_stack([before[:, 0], np.ones(3)])
    assert score("correlations", replaced(before, after)).value == pytest.approx(1.0)


@pytest.mark.parametrize("name", MOVES)
def test_cells_that_stay_missing_do_not_count(name: str) -> None:
    before, after = drawn()
    missing = np.zeros(before.shape, bool)
    missing[:9, 1] = True
    spoilt = np.where(missing, 1e6, after)
    figure = score(name, replaced(before, spoilt, missing=missing))
    some = score(name, replaced(before[9:], after[9:]))
    if figure.per_column:
        assert figure.per_column["x1"] == pytest.approx(some.per_column["x1"])
    else:
        assert figure.value == pytest.approx(some.value)


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
