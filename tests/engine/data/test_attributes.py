"""Numbers become values of the column again, exactly where the column can hold them."""

from typing import Literal

import numpy as np
import pandas as pd
import pytest

from engine.data.attributes import read_attribute
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
    attribute, values = read_attribute(table(column), "visit")
    pd.testing.assert_series_equal(
        attribute.typed(values, column, NONE), column, check_names=False
    )
    shown = column.dt.strftime("%Y-%m-%d %H:%M:%S").tolist()
    assert attribute.text(values) == shown


def test_fractions_of_a_second_are_kept_where_the_column_has_them() -> None:
    column = stamps("us") + pd.to_timedelta(np.arange(30) * 1001, unit="us")
    attribute, values = read_attribute(table(column), "visit")
    assert attribute.typed(values, column, NONE).tolist() == column.tolist()
    assert attribute.text(values)[1].endswith(".001001")


def test_groups_of_whole_seconds_share_a_whole_second() -> None:
    released = run(Plan(method="mdav", k=4), table(stamps("us"))).release.frame["visit"]
    assert (released == released.dt.floor("s")).all()
    assert released.value_counts().min() >= 4
