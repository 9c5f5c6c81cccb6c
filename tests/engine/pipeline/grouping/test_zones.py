"""Dates are protected through the changes of clocks, and lose what is written."""

import re
from pathlib import Path

import pandas as pd
import pytest

from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions

CHANGES = {
    "Europe/Berlin": ("2020-10-25 00:00", "2020-03-29 00:00"),
    "America/New_York": ("2020-11-01 05:00", "2020-03-08 06:00"),
    "Australia/Lord_Howe": ("2020-04-04 14:00", "2020-10-03 15:00"),
}
"""Hours of UTC in which clocks are put back, and forward."""


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("zone", CHANGES)
@pytest.mark.parametrize("change", [0, 1], ids=["back", "forward"])
def test_a_zoned_column_is_averaged_in_utc(zone: str, change: int, format: str) -> None:
    first = pd.Timestamp(CHANGES[zone][change], tz="UTC")
    moments = pd.date_range(first, periods=12, freq="20min")
    table = read_table(pd.DataFrame({"t": moments.tz_convert(zone)}))
    outcome = run(Plan(k=3, quasi_identifiers=("t",)), table)
    released = outcome.release.frame["t"]
    assert str(released.dt.tz) == zone
    labels = outcome.partition.labels
    means = pd.Series(moments).groupby(labels).transform("mean")
    assert (released.dt.tz_convert("UTC") - means).abs().max() < pd.Timedelta("1s")
    assert not release_bytes_and_checks(
        outcome, table, WritingOptions(format=format)
    ).failed_checks


@pytest.mark.parametrize("finest", ["10min", "7s", "1ms", "1us"])
@pytest.mark.parametrize("zone", CHANGES)
def test_an_interval_of_zoned_dates_tells_every_moment(zone: str, finest: str) -> None:
    first = pd.Timestamp(CHANGES[zone][0], tz="UTC") - pd.Timedelta("1h")
    moments = pd.date_range(first, periods=12, freq="20min") + pd.Timedelta(finest)
    table = read_table(pd.DataFrame({"t": moments.tz_convert(zone)}))
    plan = Plan(k=3, quasi_identifiers=("t",), aggregation="interval")
    outcome = run(plan, table)
    released = outcome.release.frame["t"]
    groups = pd.Series(moments).groupby(outcome.partition.labels)
    for interval, earliest in zip(released, groups.transform("min"), strict=True):
        low, high = map(pd.Timestamp, interval[1:-1].split("; "))
        assert low == earliest
        assert low < high
        assert low.isoformat() == earliest.tz_convert(zone).isoformat()
    lengths = {len(re.sub(r"\d", "0", each)) for each in released}
    assert len(lengths) == 1


def test_hours_that_come_twice_are_told_apart() -> None:
    moments = pd.to_datetime(["2021-10-31 00:30", "2021-10-31 01:30"] * 2, utc=True)
    table = read_table(pd.DataFrame({"t": moments.tz_convert("Europe/Berlin")}))
    plan = Plan(k=4, quasi_identifiers=("t",), aggregation="interval")
    [interval] = run(plan, table).release.frame["t"].unique()
    assert interval == "[2021-10-31 02:30+02:00; 2021-10-31 02:30+01:00]"


@pytest.mark.parametrize("step", ["minute", "day", "month"])
def test_loss_of_dates_is_told_as_they_are_written(step: str, tmp_path: Path) -> None:
    spans = {
        "minute": ("%Y-%m-%d %H:%M:%S", "2020-01-01 10:01:00"),
        "day": ("%d/%m/%Y", "20/01/2020"),
        "month": ("%Y-%m", "2020-04"),
    }
    pattern, later = spans[step]
    first = pd.Timestamp("2020-01-01 10:00" if step == "minute" else "2020-01-16")
    lines = ["day", *[first.strftime(pattern)] * 6, *[later] * 5]
    path = tmp_path / "days.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = read_table(
        path, roles={"day": "quasi-identifier"}, kinds={"day": "continuous"}
    )
    outcome = run(Plan(method="cbfs", k=4, rounding="types"), table)
    before, after = (
        pd.to_datetime(column).astype("datetime64[us]").astype("int64").to_numpy(float)
        for column in (table.frame["day"], outcome.release.frame["day"])
    )
    loss = ((before - after) ** 2).sum() / ((before - before.mean()) ** 2).sum()
    loss_percent = outcome.summary()["information_loss_released"]
    assert loss_percent == pytest.approx(100 * loss, rel=1e-6)
    assert outcome.summary()["information_loss"] != pytest.approx(
        loss_percent, rel=1e-6
    )
