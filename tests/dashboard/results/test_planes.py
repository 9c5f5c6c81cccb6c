"""Planes: where records are, and what is said of it."""

import numpy as np
import pandas as pd
import pytest

from dashboard.results.planes import (
    PlaneAxis,
    attribute_axis,
    component_axis,
    default_axis_attributes,
    do_components_omit_categories,
    principal_plane_components,
)
from engine.core.numerics.principal import principal_components
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.grouping.prepare import prepare_table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan

ROWS = np.arange(6)


def axis(values: object, kind: Kind, rows: np.ndarray = ROWS) -> PlaneAxis:
    schema = Schema((Column("a", kind, Role.QUASI_IDENTIFIER),))
    table = Table.from_frame(pd.DataFrame({"a": values}), schema)
    return attribute_axis(*read_attribute_and_numbers(table, "a"), rows)


def test_numbers_are_where_they_are() -> None:
    record_axis = axis(
        [3.0, 1.0, 2.0, 9.0, 4.0, 5.0], Kind.CONTINUOUS, np.array([3, 0])
    )
    assert record_axis.places.tolist() == [9.0, 3.0]
    assert (record_axis.title, record_axis.ticks) == ("a", ())


def test_missing_numbers_stand_before_all_others() -> None:
    record_axis = axis([3.0, None, 2.0, 9.0, None, 5.0], Kind.CONTINUOUS)
    assert (record_axis.places[[1, 4]] < 2.0).all()
    assert np.isfinite(record_axis.places).all()
    assert record_axis.ticks is not None
    assert record_axis.ticks[0] == (record_axis.places[1], "missing")


def test_categories_stand_side_by_side_and_say_so() -> None:
    record_axis = axis(["x", "y", "y", "z", "y", "z"], Kind.NOMINAL)
    assert [words for _place, words in record_axis.ticks or ()] == ["y", "z", "x"]
    assert record_axis.places.round().tolist() == [2.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    assert "most frequent first" in record_axis.title
    second_axis = axis(["x", "y", "y", "z", "y", "z"], Kind.NOMINAL)
    np.testing.assert_array_equal(record_axis.places, second_axis.places)


def test_ordered_words_keep_their_order() -> None:
    order = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    values = pd.Series(["high", "low", "high", "middle", "high", None], dtype=order)
    record_axis = axis(values, Kind.ORDINAL)
    words = [words for _place, words in record_axis.ticks or ()]
    assert words == ["missing", "low", "middle", "high"]
    assert record_axis.places.round().tolist() == [2.0, 0.0, 2.0, 1.0, 2.0, -1.0]


def test_dates_are_written_as_dates() -> None:
    days = pd.to_datetime(["2020-01-01", "2020-01-11", *["2020-01-06"] * 4])
    record_axis = axis(days, Kind.CONTINUOUS)
    assert record_axis.ticks is not None
    assert record_axis.ticks[0][1] == "2020-01-01"
    assert record_axis.ticks[-1][1] == "2020-01-11"
    assert record_axis.ticks[-1][0] - record_axis.ticks[0][0] == 10.0


@pytest.mark.parametrize("number", [0, 1])
def test_components_say_how_much_they_explain(number: int) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3)) * [5.0, 2.0, 1.0]
    components = principal_components(X)
    record_axis = component_axis(components, number)
    np.testing.assert_array_equal(record_axis.places, components.scores[:, number])
    assert f"Component {number + 1}" in record_axis.title
    assert f"{100 * components.shares[number]:.0f} %" in record_axis.title
    assert record_axis.ticks is None


RNG = np.random.default_rng(1)
NUMBERS = {"age": RNG.normal(40, 9, 40), "income": RNG.lognormal(8, 1, 40)}
WORDS = {
    "sex": RNG.choice(["f", "m"], 40),
    "town": RNG.choice(["Lund", "Graz", "Brno", "Linz", "Pisa"], 40),
}


def test_components_of_numbers_know_nothing_of_categories() -> None:
    columns = {"town": WORDS["town"], **NUMBERS, "sex": WORDS["sex"]}
    table = read_table(pd.DataFrame(columns))
    plan = resolve_plan(
        Plan(method="mdav", k=3, quasi_identifiers=tuple(columns)), table
    )
    kinds = {name: plan.kinds[name] for name in columns}
    components = principal_plane_components(prepare_table(plan, table).points, kinds)
    X = np.column_stack([(v - v.mean()) / v.std() for v in NUMBERS.values()])
    truth = principal_components(X)
    np.testing.assert_allclose(components.shares, truth.shares)
    assert do_components_omit_categories(kinds)
    assert "Numbers" in component_axis(components, 0, True).title


CONTINUOUS, ORDINAL, NOMINAL = Kind.CONTINUOUS, Kind.ORDINAL, Kind.NOMINAL


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        ({"age": CONTINUOUS, "sex": NOMINAL, "town": NOMINAL}, ("age", "town")),
        ({"sex": NOMINAL, "town": NOMINAL}, ("town", "sex")),
        ({"sex": NOMINAL, "age": ORDINAL}, ("age", "sex")),
        ({"age": CONTINUOUS, "income": CONTINUOUS, "sex": NOMINAL}, ("", "")),
        ({"age": CONTINUOUS, "income": ORDINAL}, ("", "")),
        ({"age": CONTINUOUS}, ("", "")),
        ({"town": NOMINAL}, ("", "")),
    ],
)
def test_attributes_are_drawn_where_fewer_than_two_are_numbers(
    kinds: dict[str, Kind], found: tuple[str, str]
) -> None:
    values = {"age": 60, "income": 900, "sex": 2, "town": 5}
    assert default_axis_attributes(kinds, values) == found
