"""Quasi-identifiers become numbers on common scales, or one sentence says why not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.core.errors import InputError, ParameterError
from engine.data.conversion.numeric import read_numeric_column
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.points.base import Points
from engine.points.encode import encode_points
from engine.points.scaling import scalings


def table(**columns: object) -> Table:
    frame = pd.DataFrame(columns)
    kinds = {"nominal": Kind.NOMINAL, "ordinal": Kind.ORDINAL}
    schema = Schema(
        tuple(Column(name, kinds.get(name, Kind.CONTINUOUS)) for name in frame.columns)
    )
    return Table.from_frame(frame, schema)


AGES = [20.0, 30.0, 40.0, 70.0]


# Scaling


def test_zscores_have_mean_0_and_standard_deviation_1() -> None:
    X = encode_points(table(a=AGES, b=[1e9, 1e9 + 1, 1e9 + 2, 1e9 + 5]), ("a", "b")).X
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-7)
    np.testing.assert_allclose(X.std(axis=0), 1.0)


def test_range_scaling_runs_from_0_to_1() -> None:
    X = encode_points(table(a=AGES), ("a",), "range").X
    np.testing.assert_allclose(X[:, 0], [0.0, 0.2, 0.4, 1.0])


def test_without_scaling_values_stay() -> None:
    X = encode_points(table(a=AGES), ("a",), "none").X
    np.testing.assert_array_equal(X[:, 0], AGES)


@pytest.mark.parametrize("scaling", list(scalings))
@given(
    values=arrays(
        np.float64, (7, 2), elements=st.floats(-1e6, 1e6, allow_subnormal=False)
    )
)
def test_original_values_come_back(scaling: str, values: np.ndarray) -> None:
    points = encode_points(table(a=values[:, 0], b=values[:, 1]), ("a", "b"), scaling)
    original = points.X * points.space.scale + points.space.centre
    np.testing.assert_allclose(original, values, rtol=1e-9, atol=1e-6)
    np.testing.assert_array_equal(points.values, values)


@pytest.mark.parametrize("scaling", list(scalings))
@pytest.mark.parametrize("value", [0.0, 0.1, -1e9 / 3])
def test_a_constant_column_stays_constant_and_is_warned_about(
    scaling: str, value: float
) -> None:
    points = encode_points(table(a=AGES, c=[value] * 4), ("a", "c"), scaling)
    assert np.unique(points.X[:, 1]).size == 1
    assert points.warnings == (
        "Quasi-identifier 'c' is constant: it does not influence the groups.",
    )


@pytest.mark.parametrize("scaling", ["zscore", "range"])
def test_a_column_that_varies_little_beside_its_size_still_counts(
    scaling: str,
) -> None:
    values = 1e9 + 2.0**-20 * np.array([0.0, 1.0, 2.0, 5.0])
    points = encode_points(table(a=values), ("a",), scaling)
    assert np.ptp(points.X[:, 0]) >= 1.0
    assert points.warnings == ()


def test_an_unknown_scaling_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"no scaling called 'zscor'.*zscore"):
        encode_points(table(a=AGES), ("a",), "zscor")


# Columns


def test_columns_come_in_the_order_asked_for() -> None:
    points = encode_points(
        table(a=AGES, b=[4, 3, 2, 1], c=[0, 0, 0, 1]), ("c", "a"), "none"
    )
    assert points.names == ("c", "a")
    np.testing.assert_array_equal(points.X, np.column_stack([[0, 0, 0, 1], AGES]))
    assert (points.n_records, points.n_attributes) == (4, 2)


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, 2, 3], dtype=np.int8),
        np.array([1, 2, 3], dtype=np.uint64),
        np.array([1, 2, 3], dtype=np.float32),
        pd.array([1, 2, 3], dtype="Int64"),
        pd.array([1.0, 2.0, 3.0], dtype="Float64"),
        pd.array([1, 2, 3], dtype="int64[pyarrow]"),
    ],
)
def test_every_kind_of_number_is_taken(values: object) -> None:
    column = read_numeric_column(table(a=values), "a")
    assert column.dtype == np.float64
    np.testing.assert_array_equal(column, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("values", [[1, None, 3], [1.5, None, 3]])
@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float64"])
def test_missing_values_are_seen_in_every_type(values: list, dtype: str) -> None:
    if dtype == "Int64" and values[0] == 1.5:
        values = [2, None, 3]
    column = read_numeric_column(table(a=pd.array(values, dtype=dtype)), "a")
    np.testing.assert_array_equal(np.isnan(column), [False, True, False])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["x", "y", "z"], "Column 'a' holds text but is declared a column of num"),
        (["1", "y", "3"], "holds text in 1 record, first in record 2, but"),
        (["1", "2", "3"], "holds numbers stored as text but"),
        (["x", "2", None, "z"], "holds text in 2 records, first in record 1, but"),
        ([1.0, np.inf, -np.inf], "has 2 infinite values, the first in record 2"),
        ([1.0, 2.0, np.inf], "has 1 infinite value, the first in record 3"),
        ([1.0, -1e200, 1.0], "too large to compute with, the first in record 2"),
    ],
)
def test_a_column_that_holds_no_usable_numbers_is_refused(
    values: object, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        encode_points(table(a=values), ("a",))


def test_messages_do_not_repeat_values() -> None:
    with pytest.raises(InputError) as caught:
        encode_points(table(a=["1", "Smith", "3"]), ("a",))
    assert "Smith" not in str(caught.value)


def test_categories_become_leaf_numbers_and_indicators() -> None:
    points = encode_points(
        table(a=AGES, nominal=[3, 1, 3, 2]), ("a", "nominal"), "none"
    )
    np.testing.assert_array_equal(points.values[:, 1], [2, 0, 2, 1])
    tree = points.attributes[1].tree
    assert tree is not None
    assert tree.leaves == ("1", "2", "3")
    np.testing.assert_array_equal(points.numeric, [True, False])
    indicators = [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    np.testing.assert_array_equal(points.X[:, 1:], indicators)


def test_dates_become_days() -> None:
    dates = pd.to_datetime(["1970-01-01", "1970-01-03", "1969-12-31"])
    points = encode_points(table(a=dates), ("a",), "none")
    np.testing.assert_array_equal(points.X[:, 0], [0.0, 2.0, -1.0])


def test_ordered_words_become_ranks_in_the_order_of_their_hierarchy() -> None:
    words = table(ordinal=["mid", "low", "high"])
    tree = Hierarchy((("low", "*"), ("mid", "*"), ("high", "*")))
    ranked = words.assign(hierarchies={"ordinal": tree})
    np.testing.assert_array_equal(
        encode_points(ranked, ("ordinal",), "none").X[:, 0], [1.0, 0.0, 2.0]
    )
    with pytest.raises(InputError, match="'ordinal' is declared ordinal, but nothing"):
        encode_points(words, ("ordinal",))


def test_an_ordered_type_tells_the_order_of_its_words() -> None:
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    words = table(ordinal=pd.Series(["high", "low", "mid"], dtype=levels))
    np.testing.assert_array_equal(
        encode_points(words, ("ordinal",), "none").X[:, 0], [2.0, 0.0, 1.0]
    )


def test_weights_must_be_positive_numbers() -> None:
    good = encode_points(table(a=AGES, w=[1, 2, 3, 4]), ("a",), weights="w")
    np.testing.assert_array_equal(good.weights, [1, 2, 3, 4])
    for weights, message in (
        ([1, 0, 3, -4], "'w' weighs records, but 2 weights .* record 2, is zero or"),
        (
            [1, 2, None, 4],
            "1 weight cannot .* in record 3, is missing",
        ),
    ):
        with pytest.raises(InputError, match=message):
            encode_points(table(a=AGES, w=weights), ("a",), weights="w")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((), "no quasi-identifier: name at least one"),
        (("a", "a"), "'a' is named twice"),
        (("a", "z"), "no column called 'z'.*its columns are a, b"),
    ],
)
def test_a_choice_of_columns_that_makes_no_sense_is_refused(
    columns: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        encode_points(table(a=AGES, b=AGES), columns)


# Missing values

HOLES = {"a": [1.0, np.nan, 3.0, 8.0, 1.0], "b": [np.nan, np.nan, 6.0, 7.0, 7.0]}


def test_missing_values_are_refused_with_how_many_and_where() -> None:
    with pytest.raises(
        InputError,
        match=r"'a' 1 \(first in record 2\); 'b' 2 \(first in record 1\)",
    ):
        encode_points(table(**HOLES), ("a", "b"))


def test_dropped_records_are_left_out_and_said() -> None:
    points = encode_points(table(**HOLES), ("a", "b"), "none", "drop")
    np.testing.assert_array_equal(points.rows, [2, 3, 4])
    np.testing.assert_array_equal(points.X, [[3, 6], [8, 7], [1, 7]])
    assert points.warnings[0].startswith("2 records with missing values dropped")


@pytest.mark.parametrize(
    ("policy", "a", "b"), [("median", 2.0, 7.0), ("mode", 1.0, 7.0)]
)
def test_filled_values_are_the_columns_own(policy: str, a: float, b: float) -> None:
    points = encode_points(table(**HOLES), ("a", "b"), "none", policy)  # type: ignore[arg-type]
    np.testing.assert_array_equal(points.rows, range(5))
    assert points.X[1, 0] == a
    np.testing.assert_array_equal(points.X[:2, 1], [b, b])
    np.testing.assert_array_equal(points.filled["a"], [1])
    np.testing.assert_array_equal(points.filled["b"], [0, 1])
    assert f"filled with the {policy}" in points.warnings[0]


def test_of_equally_frequent_values_the_smallest_fills_in() -> None:
    points = encode_points(
        table(a=[5.0, 2.0, 5.0, 2.0, np.nan]), ("a",), "none", "mode"
    )
    assert points.X[4, 0] == 2.0


def test_kept_cells_stay_missing_and_count_for_nothing() -> None:
    points = encode_points(table(**HOLES), ("a", "b"), "zscore", "keep")
    np.testing.assert_array_equal(points.missing[:, 0], np.isnan(HOLES["a"]))
    np.testing.assert_array_equal(points.X[points.missing], [0.0, 0.0, 0.0])
    present = np.array([1.0, 3.0, 8.0, 1.0])
    assert points.space.centre[0] == present.mean()
    assert points.space.scale[0] == present.std()


def test_each_column_has_a_choice_of_its_own() -> None:
    points = encode_points(
        table(**HOLES), ("a", "b"), "none", "drop", missing_columns={"b": "mode"}
    )
    np.testing.assert_array_equal(points.rows, [0, 2, 3, 4])
    np.testing.assert_array_equal(points.filled["b"], [0])
    assert len(points.warnings) == 2


def test_records_missing_elsewhere_stay() -> None:
    assert encode_points(table(a=AGES, b=[np.nan] * 4), ("a",)).n_records == 4


@pytest.mark.parametrize("policy", ["refuse", "drop", "median", "mode", "keep"])
def test_a_column_without_any_value_is_refused(policy: str) -> None:
    with pytest.raises(InputError, match="'b' has no values at all"):
        encode_points(table(a=AGES, b=[np.nan] * 4), ("a", "b"), "none", policy)  # type: ignore[arg-type]


def test_dropping_every_record_is_refused() -> None:
    with pytest.raises(InputError, match="leaves nothing"):
        encode_points(
            table(a=[1.0, np.nan], b=[np.nan, 1.0]), ("a", "b"), "none", "drop"
        )


@pytest.mark.parametrize("holes", [AGES, [1.0, np.nan, 2.0, 3.0]])
def test_an_unknown_policy_is_refused_whether_it_is_needed_or_not(
    holes: list[float],
) -> None:
    with pytest.raises(ParameterError, match=r"no way called 'mean'.*refuse, drop"):
        encode_points(table(a=holes), ("a",), "none", "mean")  # type: ignore[arg-type]


# What comes out


def test_nothing_can_be_changed_afterwards() -> None:
    points = encode_points(table(a=AGES), ("a",))
    part = points.subset(np.array([2, 0]))
    for array in (points.X, points.values, part.X, part.values):
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 7.0


def test_the_table_stays_as_it_was() -> None:
    input_table = table(**HOLES)
    before = input_table.frame.copy()
    encode_points(input_table, ("a", "b"), "zscore", "median")
    pd.testing.assert_frame_equal(input_table.frame, before)


def test_a_subset_keeps_scales_and_rows() -> None:
    points = encode_points(table(**HOLES), ("a", "b"), "zscore", "drop")
    part = points.subset(np.array([2, 0]))
    np.testing.assert_array_equal(part.rows, [4, 2])
    np.testing.assert_array_equal(part.X, points.X[[2, 0]])
    np.testing.assert_array_equal(part.values, [[1, 7], [3, 6]])
    assert part.space is points.space


def test_an_array_is_taken_as_it_is_and_left_alone() -> None:
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    points = Points.from_array(X)
    np.testing.assert_array_equal(points.X, X)
    np.testing.assert_array_equal(points.values, X)
    X[0, 0] = 5.0  # still the caller's to change
