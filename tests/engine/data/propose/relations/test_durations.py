"""Dates that follow from another date and a duration are found."""

import numpy as np
import pandas as pd
import pytest

from engine.data.propose.relations.durations import find_dates_with_duration

N = 900
RNG = np.random.default_rng(5)
AGE = RNG.integers(18, 90, N)
DAYS = pd.Series(
    pd.Timestamp("2019-01-01") + pd.to_timedelta(RNG.integers(0, 1500, N), "D")
)


@pytest.mark.parametrize("unit", ["D", "h", "min"])
@pytest.mark.parametrize("counted", [0, 1])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_an_end_is_a_start_and_a_duration(
    unit: str, counted: int, zone: str | None
) -> None:
    lasted = pd.Series(RNG.integers(1, 60, N))
    end = (DAYS + pd.to_timedelta(lasted, unit)).astype("datetime64[s]")
    frame = pd.DataFrame({"from": DAYS.dt.tz_localize(zone), "to": end})
    frame["lasted"] = lasted + counted  # the first day may be counted as well
    frame["age"] = AGE
    assert find_dates_with_duration(frame, tuple(frame)) == {"to": ("from", "lasted")}
    assert (
        find_dates_with_duration(frame.drop(columns="lasted"), ("from", "to", "age"))
        == {}
    )


@pytest.mark.parametrize(("days", "left"), [(365.2425, "born"), (30.436875, "seen")])
def test_an_age_and_a_day_tell_a_date_of_birth(days: float, left: str) -> None:
    """Released with means of their own, the three would contradict each other."""
    born = DAYS - pd.to_timedelta(RNG.integers(0, 80 * 365, N), "D")
    visit_dates = DAYS + pd.to_timedelta(RNG.integers(0, 24 * 60, N), "min")
    age = ((visit_dates - born) / pd.Timedelta(days, "D")).astype("int64")
    frame = pd.DataFrame({"born": born, "seen": visit_dates, "age": age})
    other = "seen" if left == "born" else "born"
    assert find_dates_with_duration(frame, tuple(frame)) == {left: (other, "age")}
    frame["age"] = age.sample(frac=1, random_state=1).array
    assert find_dates_with_duration(frame, tuple(frame)) == {}


def test_dates_before_any_nanosecond_are_compared() -> None:
    early = (DAYS - pd.Timedelta(days=600)).astype("datetime64[s]")
    early.iloc[0] = pd.Timestamp("1492-10-12").as_unit("s")
    frame = pd.DataFrame({"from": early, "to": DAYS, "age": AGE})
    assert find_dates_with_duration(frame, tuple(frame)) == {}
