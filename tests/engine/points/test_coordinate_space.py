"""Weights and transforms of attributes, and what stays as it was without them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine import Plan, run
from engine.core.errors import ParameterError
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.points.encode import encode_points
from engine.points.transforms import transforms
from tests.engine.points.tables import NAMES, people


def numbers(frame: pd.DataFrame) -> Table:
    schema = Schema(tuple(Column(name, Kind.CONTINUOUS) for name in frame))
    return Table.from_frame(frame, schema)


@pytest.mark.parametrize("scaling", ["zscore", "range", "none"])
@given(
    values=arrays(
        np.float64, (9, 3), elements=st.floats(-1e6, 1e6, allow_subnormal=False)
    )
)
def test_numbers_are_scaled_to_the_last_bit_as_ever(
    scaling: str, values: np.ndarray
) -> None:
    names = ("a", "b", "c")
    frame = pd.DataFrame(values, columns=list(names))
    table = numbers(frame)
    X = encode_points(table, names, scaling).X
    low, high = values.min(axis=0), values.max(axis=0)
    centre, scale = {
        "zscore": (values.mean(axis=0), values.std(axis=0)),
        "range": (low, high - low),
        "none": (np.zeros(3), np.ones(3)),
    }[scaling]
    scale = np.where((high > low) & (scale > 0), scale, 1.0)
    assert np.array_equal(X, (values - centre) / scale)
    same = encode_points(table, names, scaling, attribute_weights={"a": 1.0})
    assert np.array_equal(same.X, X)


@given(st.floats(0.0, 100.0), st.sampled_from(NAMES))
def test_a_weight_multiplies_squared_distances(weight: float, name: str) -> None:
    table = people(20)
    plain = encode_points(table, NAMES)
    heavy = encode_points(table, NAMES, attribute_weights={name: weight})
    j = NAMES.index(name)
    for k, other in enumerate(NAMES):
        at = plain.space.coordinates_of([k])
        before = np.square(plain.X[3, at] - plain.X[:, at]).sum(axis=1)
        after = np.square(heavy.X[3, at] - heavy.X[:, at]).sum(axis=1)
        factor = weight if k == j else 1.0
        np.testing.assert_allclose(after, factor * before, atol=1e-9, err_msg=other)
    assert heavy.sst == pytest.approx(plain.sst + (weight - 1.0) * 20, rel=1e-9)


def test_a_heavy_attribute_loses_less() -> None:
    table = people(200)
    loss = [
        run(
            Plan(k=4, quasi_identifiers=NAMES, attribute_weights={"income": weight}),
            table,
        ).scores["information-loss"]
        for weight in (0.0, 1.0, 20.0)
    ]
    columns = [score.per_column["income"] for score in loss]
    assert columns == sorted(columns, reverse=True)
    assert columns[2] < 0.7 * columns[1] < 0.7 * columns[0]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"age": -1}, "'age' is -1, but must be a number from 0"),
        ({"age": "heavy"}, "'age' is 'heavy', but must be a number"),
        ({"age": float("nan")}, "'age' is nan, but must be a number"),
        ({"height": 2}, "a weight to 'height', which is not a quasi-identifier"),
        (dict.fromkeys(NAMES, 0), "Every quasi-identifier has weight 0"),
    ],
)
def test_weights_that_cannot_be_are_one_sentence(
    weights: dict[str, object], said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        run(Plan(quasi_identifiers=NAMES, attribute_weights=weights), people())


def test_logarithms_make_ratios_count() -> None:
    frame = pd.DataFrame({"x": [1.0, 10.0, 100.0, 1000.0]})
    table = numbers(frame)
    X = encode_points(table, ("x",), "none", transform={"x": "log"}).X[:, 0]
    np.testing.assert_allclose(np.diff(X), np.log(10.0))
    shifted = encode_points(numbers(frame - 1.0), ("x",), transform={"x": "log"})
    assert "log(x + 1)" in str(shifted.warnings[0])


@given(arrays(np.float64, 12, elements=st.floats(-50, 1e4, width=32)))
def test_a_transform_goes_back(values: np.ndarray) -> None:
    for name in transforms:
        bend = transforms.get(name)(values)
        bent_values = bend(values)
        assert np.isfinite(bent_values).all()
        assert (np.diff(bent_values[np.argsort(values)]) >= 0).all()
        if abs(bend.power) < 0.5 or bend.power == 1.0:
            np.testing.assert_allclose(
                bend.invert(bent_values), values, rtol=1e-4, atol=1e-4
            )


def test_box_cox_finds_the_logarithm_of_a_lognormal_and_leaves_a_normal() -> None:
    rng = np.random.default_rng(1)
    settle = transforms.get("box-cox")
    assert abs(settle(rng.lognormal(3.0, 1.0, 4000)).power) <= 0.1
    assert settle(rng.normal(100.0, 1.0, 4000)).power == pytest.approx(1.0, abs=2.0)
    uniform = settle(np.square(rng.normal(10.0, 1.0, 4000)))
    assert 0.2 <= uniform.power <= 0.8  # a root makes it normal


def test_what_is_released_is_in_the_columns_own_units() -> None:
    table = people(90)
    plan = Plan(k=3, quasi_identifiers=NAMES, transforms={"income": "log"})
    outcome = run(plan, table)
    income = table.frame["income"]
    means = income.groupby(outcome.partition.labels).transform("mean")
    released = outcome.release.frame["income"]
    np.testing.assert_allclose(released, means, atol=0.51)
    assert outcome.information_loss >= outcome.bound.per_cent


def test_words_and_dates_have_no_transform() -> None:
    with pytest.raises(ParameterError, match="'sex' holds no numbers"):
        run(Plan(quasi_identifiers=NAMES, transforms={"sex": "log"}), people())


def test_missing_values_that_are_kept_are_never_averaged() -> None:
    frame = people(40).frame.astype({"age": float})
    frame.loc[[38, 39, 5, 6, 7], "age"] = np.nan  # some in the last group
    frame.loc[[36, 37, 1, 2, 3], "job"] = None
    table = Table.from_frame(frame, people().schema)
    for bend in ({}, {"age": "log"}):
        plan = Plan(k=4, quasi_identifiers=NAMES, missing="keep", transforms=bend)
        outcome = run(plan, table)
        released = outcome.release.frame
        for name in NAMES:
            np.testing.assert_array_equal(released[name].isna(), frame[name].isna())
        points = encode_points(table, NAMES, missing="keep", transform=bend)
        for j, name in enumerate(NAMES):
            at = points.space.coordinates_of([j])
            lacking = frame[name].isna().to_numpy()
            present_points = points.X[:, at][~lacking]
            middle = np.broadcast_to(
                present_points.mean(axis=0), (lacking.sum(), at.size)
            )
            np.testing.assert_allclose(points.X[:, at][lacking], middle, atol=1e-9)
            assert points.attribute_sse(j, np.zeros(40, np.int64)) == pytest.approx(
                np.square(present_points - present_points.mean(axis=0)).sum()
            )
        labels = outcome.partition.labels
        for g in range(outcome.partition.n_groups):
            assert frame["age"][labels == g].isna().nunique() == 1
