"""Numbers become values of the column again, exactly where the column can hold them."""

from typing import Literal

import numpy as np
import pandas as pd
import pytest

from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

Unit = Literal["s", "ms", "us", "ns"]
START = pd.Timestamp("2020-01-01 05:06:07")
NONE = np.zeros(30, dtype=np.bool_)
STEPS = np.random.default_rng(4).integers(0, 40_000_000, 30)


def stamps(unit: Unit, zone: str | None = None) -> pd.Series:
    moments = pd.DatetimeIndex(START + pd.to_timedelta(STEPS, unit="s"))
    moments = moments.as_unit(unit)
    return pd.Series(moments.tz_localize(zone) if zone else moments)


def table(column: pd.Series) -> Table:
    return read_table(pd.DataFrame({"visit": column})).assign(
        roles={"visit": "quasi-identifier"}
    )


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Amsterdam"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_come_back_as_they_were(unit: Unit, zone: str | None) -> None:
    column = stamps(unit, zone)
    attribute, values = read_attribute_and_numbers(table(column), "visit")
    pd.testing.assert_series_equal(
        attribute.to_typed(values, column, NONE), column, check_names=False
    )
    texts = column.dt.strftime("%Y-%m-%d %H:%M:%S").tolist()
    assert attribute.to_text(values) == texts


def test_fractions_of_a_second_are_kept_where_the_column_has_them() -> None:
    column = stamps("us") + pd.to_timedelta(np.arange(30) * 1001, unit="us")
    attribute, values = read_attribute_and_numbers(table(column), "visit")
    assert attribute.to_typed(values, column, NONE).tolist() == column.tolist()
    assert attribute.to_text(values)[1].endswith(".001001")


def test_groups_of_whole_seconds_share_a_whole_second() -> None:
    released = run(Plan(method="mdav", k=4), table(stamps("us"))).release.frame["visit"]
    assert (released == released.dt.floor("s")).all()
    assert released.value_counts().min() >= 4


@pytest.mark.parametrize("zone", [None, "Asia/Kathmandu"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("step", ["1D", "1min", "1s", "1ms"])
def test_without_rounding_a_mean_of_dates_is_exact(
    unit: Unit, zone: str | None, step: str
) -> None:
    moments = pd.DatetimeIndex(START.normalize() + np.arange(28) * pd.Timedelta(step))
    column = pd.Series(moments.tz_localize(zone)).dt.as_unit(unit)
    outcome = run(Plan(method="mdav", k=4, rounding="none"), table(column))
    exact = column.dt.tz_convert("UTC") if zone else column
    means = exact.dt.as_unit("ns").groupby(outcome.partition.labels).transform("mean")
    released = outcome.release.frame["visit"]
    got = released.dt.tz_convert("UTC") if zone else released
    assert (got.dt.as_unit("ns") - means).abs().max() <= pd.Timedelta("1us")


def test_without_rounding_means_of_short_floats_are_exact() -> None:
    column = pd.Series(np.arange(9) / np.float32(7), dtype="float32")
    outcome = run(Plan(method="mdav", k=3, rounding="none"), table(column))
    means = column.astype("float64").groupby(outcome.partition.labels).transform("mean")
    assert outcome.release.frame["visit"].tolist() == means.tolist()


@pytest.mark.parametrize("rounding", ["types", "none"])
@pytest.mark.parametrize("aggregation", ["mean", "interval"])
def test_dates_may_lie_further_from_1970_than_nanoseconds_reach(
    rounding: str, aggregation: str
) -> None:
    days = ["9999-12-31", "0820-02-28", "2020-01-05", "1960-05-01", "2262-05-05"]
    column = pd.to_datetime(pd.Series(days * 2)).astype("datetime64[us]")
    plan = Plan(method="mdav", k=2, rounding=rounding, aggregation=aggregation)
    released = run(plan, table(column)).release.frame["visit"]
    assert released.astype("str").tolist() == days * 2
