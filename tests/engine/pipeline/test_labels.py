"""Numbers in, labels out."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from engine import methods, partition
from engine.core.errors import InfeasibleError, InputError, ParameterError


def test_lists_and_vectors_are_tables_of_numbers() -> None:
    np.testing.assert_array_equal(
        partition([1, 2, 9, 8], k=2), partition([[1.0], [2.0], [9.0], [8.0]], k=2)
    )


def test_labels_do_not_depend_on_units_when_scaled() -> None:
    X = np.random.default_rng(2).normal(size=(60, 3))
    units = np.array([1.0, 1024.0, 2.0**-20])
    np.testing.assert_array_equal(partition(X, k=4), partition(X * units, k=4))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([["a"], ["b"]], "table of numbers"),
        ([[1.0], [np.nan], [2.0]], "in 1 row, row 1"),
        ([[1.0], [np.inf], [2.0]], "missing or infinite"),
        (np.zeros((2, 2, 2)), "shape"),
        (np.zeros((3, 0)), "shape"),
    ],
)
def test_what_is_no_table_of_finite_numbers_is_refused(X: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        partition(X, k=2)


MISSING = [None, np.nan, pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT")]


@pytest.mark.parametrize("missing", [*MISSING, np.inf, Decimal("Infinity")], ids=str)
def test_missing_and_infinite_cells_are_named_whatever_holds_them(
    missing: object,
) -> None:
    cells = [1.0, 2.0, missing, 4.0, 5.0]
    held = [
        cells,
        [[cell, 1.0] for cell in cells],
        np.array(cells, dtype=object),
        pd.Series(cells, dtype=object),
        pd.DataFrame({"a": pd.Series(cells, dtype=object), "b": range(5)}),
    ]
    if missing is None or missing is np.nan:
        held += [
            pa.table({"a": pa.array(cells, pa.float64()), "b": range(5)}),
            pa.array(cells, pa.float64()),
            pd.DataFrame({"a": pd.array([1, 2, None, 4, 5], dtype="Int64")}),
            pd.DataFrame({"a": pd.array(cells, dtype="float64[pyarrow]"), "b": 1}),
            np.ma.masked_equal(np.arange(1.0, 6.0), 3.0),
        ]
    for X in held:
        with pytest.raises(InputError, match="in 1 row, row 2"):
            partition(X, k=2)
        if np.ndim(X) == 2:
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                methods.get("mdav")(2).fit(X)


MOMENTS = pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01"])


@pytest.mark.parametrize("is_missing", [False, True])
@pytest.mark.parametrize("times", [MOMENTS, MOMENTS - MOMENTS[0]], ids=["date", "span"])
def test_dates_and_lengths_of_time_are_no_numbers(
    times: pd.Index, is_missing: bool
) -> None:
    """As numbers they would depend on their unit, and NaT would be one as well."""
    column = pd.Series(times)
    if is_missing:
        column[1] = pd.NaT
    held = [
        column.to_numpy().reshape(-1, 1),
        column.astype(object).to_numpy().reshape(-1, 1),
        np.array([[x, 1.0] for x in column.to_numpy()], dtype=object),
        column.to_frame("a").assign(b=1.0),
        pa.table({"a": pa.array(column), "b": range(4)}),
    ]
    for X in held:
        with pytest.raises(InputError, match="table of numbers"):
            partition(X, k=2)
        with pytest.raises((TypeError, ValueError)):
            methods.get("mdav")(2).fit(X)


def test_choices_that_do_not_exist_are_refused() -> None:
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ParameterError, match="'mdaw'"):
        partition(X, method="mdaw")
    with pytest.raises(ParameterError, match="'log'"):
        partition(X, scaling="log")
    with pytest.raises(ParameterError, match="'gamma'"):
        partition(X, gamma=1.0)
    with pytest.raises(InfeasibleError, match="fewer than k = 7"):
        partition(X, k=7)
    with pytest.raises(InfeasibleError):
        partition(np.zeros((0, 2)), k=3)


def test_the_input_is_not_touched() -> None:
    X = np.random.default_rng(3).normal(size=(30, 2))
    before = X.copy()
    partition(X, k=3)
    np.testing.assert_array_equal(X, before)


def test_polishing_mdav_is_refined() -> None:
    X = np.random.default_rng(4).normal(size=(120, 3))
    np.testing.assert_array_equal(
        partition(X, k=4, polish=True), partition(X, k=4, method="refined")
    )


def test_one_group_is_polished_already() -> None:
    X = np.random.default_rng(4).normal(size=(7, 3))
    assert partition(X, k=4, polish=True).tolist() == [0] * 7


@pytest.mark.parametrize(
    ("method", "words"),
    [("iterated", "a search itself"), ("individual-ranking", "each attribute on its")],
)
def test_what_cannot_be_polished_is_refused(method: str, words: str) -> None:
    X = np.random.default_rng(4).normal(size=(30, 3))
    with pytest.raises(ParameterError, match=f"{method} cannot be polished.*{words}"):
        partition(X, k=4, method=method, polish=True)


def test_masked_cells_are_missing_whatever_value_they_hide() -> None:
    X = np.ma.masked_greater(np.arange(12.0).reshape(6, 2), 10)
    with pytest.raises(InputError, match="missing or infinite values in 1 row, row 5"):
        partition(X, k=3)
    hidden = np.ma.array(np.arange(6), mask=False)
    assert partition(hidden, k=3).tolist() == partition(np.arange(6), k=3).tolist()
