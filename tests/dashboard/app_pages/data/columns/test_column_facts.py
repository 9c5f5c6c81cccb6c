"""What the list of columns says of values, beside pandas and plain counting."""

import numpy as np
import pandas as pd
import pytest

from dashboard.app_pages.data.columns.column_facts import (
    HISTOGRAM_BARS,
    summarise_column,
)
from engine.data.table import Origin

RNG = np.random.default_rng(5)

COLUMNS = {
    "numbers": pd.Series(RNG.normal(0, 5, 400).round(2)),
    "with gaps": pd.Series(RNG.normal(0, 5, 400)).where(RNG.random(400) > 0.2),
    "whole": pd.Series(RNG.integers(-40, 40, 400)),
    "nullable": pd.Series([*range(60), None], dtype="Int64"),
    "infinite": pd.Series([*np.arange(40.0), np.inf, -np.inf, np.nan]),
    "huge": pd.Series(2 * np.linspace(-8e307, 8e307, 50)),
    "dates": pd.Series(pd.date_range("1990-03-01", periods=90, freq="11D")),
    "zoned": pd.Series(pd.date_range("2020-01-01", periods=50, freq="D", tz="UTC")),
    "words": pd.Series(RNG.choice(["north", "south", "east"], 400)),
    "truth": pd.Series(RNG.random(400) > 0.5),
    "categories": pd.Series(pd.Categorical(RNG.choice(["a", "b"], 400))),
    "empty": pd.Series([np.nan] * 5),
    "nothing": pd.Series([None] * 5, dtype="str"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_values_are_counted_as_pandas_counts_them(name):
    column = COLUMNS[name]
    fact = summarise_column(column)
    finite = column
    if pd.api.types.is_float_dtype(column.dtype):
        finite = column.where(np.isfinite(column))
    assert fact.distinct == finite.nunique()
    assert fact.missing == finite.isna().sum()
    assert fact.count_text.startswith(f"{fact.distinct:,} value")
    for example in filter(None, fact.examples.split(", ")):
        assert example


@pytest.mark.parametrize("name", ["numbers", "whole", "dates", "huge", "zoned"])
def test_a_histogram_is_high_where_most_values_are(name):
    column = COLUMNS[name]
    fact = summarise_column(column)
    places = column.astype("int64") if "date" in str(column.dtype) else column
    # Halved, so that the widest range of numbers has a width.
    counts = np.histogram(places.to_numpy(dtype=float) / 2, bins=HISTOGRAM_BARS)[0]
    heights = np.array([int(digit) for digit in fact.bars])
    assert len(heights) == HISTOGRAM_BARS
    assert heights[counts.argmax()] == 9
    assert ((heights == 0) == (counts == 0)).mean() > 0.8
    assert np.corrcoef(heights, counts)[0, 1] > 0.9 or np.ptp(counts) <= 1


@pytest.mark.parametrize("name", ["words", "truth", "categories", "empty", "nothing"])
def test_what_has_no_order_or_no_values_has_no_histogram(name):
    assert summarise_column(COLUMNS[name]).bars == ""


def test_the_ends_of_a_histogram_are_the_least_and_the_greatest_value():
    fact = summarise_column(pd.Series([3.5, -2.25, *np.arange(20.0)]))
    assert fact.ends == ("-2.25", "19.0") or fact.ends == ("-2.25", "19")
    assert "-2.25" in fact.range_text
    assert fact.range_text.startswith(fact.count_text)


def test_missing_values_are_said_beside_the_others():
    fact = summarise_column(pd.Series(["a", None, "b", None]))
    assert fact.count_text == "2 values, 2 missing"


def test_a_long_text_is_cut():
    fact = summarise_column(pd.Series(["x" * 500, "y"]))
    assert len(fact.examples) < 40
    assert fact.examples.endswith("…, y")


def test_coded_values_are_shown_with_what_they_mean():
    column = pd.Series([2.0, 1.0, 9.0], name="sex")
    origin = Origin(options={"value_labels": {"sex": [[1.0, "male"], [2.0, "female"]]}})
    assert summarise_column(column, origin).examples == "2 (female), 1 (male), 9"
