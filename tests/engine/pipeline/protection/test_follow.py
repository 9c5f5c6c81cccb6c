"""What follows another column agrees with it in the release, and k still holds."""

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import ParameterError
from engine.data.kinds import Kind
from engine.files import read_table
from engine.measures.classes import smallest_class_size
from engine.pipeline.compare import PlanRunner
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.protection.aggregate import GroupingResult, build_release
from engine.pipeline.protection.released_values import released_values_in_own_units
from engine.pipeline.run import run
from engine.storage.snapshot import rebuild_outcome_from_table, take_outcome_snapshot

N = 300
RNG = np.random.default_rng(2)
DAYS = pd.Timestamp("1950-01-01") + pd.to_timedelta(RNG.integers(0, 18_000, N), "D")
AGE = RNG.integers(18, 90, N)
FRAME = pd.DataFrame(
    {
        "born": DAYS,
        "year": DAYS.year,
        "month": DAYS.month_name(),
        "age": AGE,
        "old": np.where(AGE >= 65, "yes", "no"),
        "town": RNG.choice(["Ulm", "Kiel", "Bonn"], N),
    }
)
FRAME["code"] = FRAME["town"].map({"Ulm": 11, "Kiel": 24, "Bonn": 37})
FOLLOWS = {"year": "born", "month": "born", "old": "age", "code": "town"}


def release_of(**choices: object) -> pd.DataFrame:
    table = read_table(FRAME)
    kinds = {"code": "nominal", "year": "ordinal"}
    plan = Plan(k=5, quasi_identifiers=tuple(FRAME), kinds=kinds, **choices)
    return run(plan, table).release.frame


def test_nothing_contradicts_itself() -> None:
    frame = release_of(follows=FOLLOWS, attribute_weights=dict.fromkeys(FOLLOWS, 0))
    years = frame["born"].dt.year
    assert (years == frame["year"])[years.isin(FRAME["year"])].all()
    assert (years - frame["year"]).abs().max() <= 1  # nobody was born in between
    assert (frame["born"].dt.month_name() == frame["month"]).all()
    assert ((frame["age"] >= 65) == (frame["old"] == "yes")).all()
    code_by_town = FRAME.drop_duplicates("town").set_index("town")["code"]
    assert (frame["town"].map(code_by_town) == frame["code"]).all()
    assert smallest_class_size(frame, tuple(frame)) >= 5


@pytest.mark.parametrize("lag", [0, 30])
@pytest.mark.parametrize("hours", [24, 1])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_dates_that_lie_equally_apart_do_so_in_the_release(
    lag: int, hours: int, zone: str | None
) -> None:
    first = pd.Series(DAYS + pd.to_timedelta(hours * (AGE % 24), "h"))
    first = first.dt.tz_localize("UTC").dt.tz_convert(zone) if zone else first
    second = (first + pd.Timedelta(days=lag)).mask(AGE < 25)
    table = read_table(pd.DataFrame({"first": first, "second": second, "age": AGE}))
    plan = Plan(
        k=5,
        quasi_identifiers=("first", "second", "age"),
        follows={"second": "first"},
        missing="keep-or-fill",
    )
    frame = run(plan, table).release.frame
    both = frame[["first", "second"]].dropna()
    gaps = both["second"] - both["first"] - pd.Timedelta(days=lag)
    assert gaps.abs().max() < pd.Timedelta(seconds=1)
    assert len(both) >= N / 2


def test_without_following_some_records_contradict_themselves() -> None:
    frame = release_of()
    old_by_age = FRAME.groupby("age")["old"].first()
    contradiction_mask = (
        frame["age"].map(old_by_age).dropna()
        != frame["old"][frame["age"].isin(old_by_age.index)]
    )
    assert (
        contradiction_mask.any()
        or ((frame["born"].dt.year - frame["year"]).abs() > 0).any()
    )


@pytest.mark.parametrize(
    "follows", [{"year": "nobody"}, {"year": "born", "born": "age"}]
)
def test_what_cannot_be_followed_is_refused(follows: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="is to follow"):
        release_of(follows=follows)


def test_figures_of_a_following_column_are_those_of_its_released_values() -> None:
    frame = FRAME.assign(days=365.25 * AGE)
    names = ("age", "days", "born", "town")
    table = read_table(frame[list(names)])
    plan = Plan(
        k=5,
        quasi_identifiers=names,
        follows={"days": "age"},
        attribute_weights={"days": 0},
    )
    outcome = run(plan, table)
    after = outcome.release.frame["days"]
    moved = (after - frame["days"]).abs().mean()
    assert outcome.survived["days"].average_change == pytest.approx(moved)
    assert moved == pytest.approx(
        365.25 * outcome.survived["age"].average_change, rel=0.01
    )
    rebuilt_outcome = rebuild_outcome_from_table(
        take_outcome_snapshot(outcome), PlanRunner(table)
    )
    assert rebuilt_outcome is not None
    pd.testing.assert_frame_equal(rebuilt_outcome.release.frame, outcome.release.frame)


def test_figures_are_those_of_the_released_values_whatever_a_column_holds() -> None:
    table = read_table(FRAME)
    kinds = {"code": "nominal", "year": "ordinal"}
    plan = Plan(k=5, quasi_identifiers=tuple(FRAME), kinds=kinds, follows=FOLLOWS)
    outcome = run(plan, table)
    prepared = PreparationCache(table).get(outcome.plan)
    grouping = GroupingResult(outcome.partition)
    built = build_release(outcome.plan, table, prepared, grouping)
    pd.testing.assert_frame_equal(built.release.frame, outcome.release.frame)
    released_values = released_values_in_own_units(
        outcome.plan, table, prepared.points, built.release.frame
    )
    np.testing.assert_allclose(built.written, released_values)


@pytest.mark.parametrize("kind", [Kind.CONTINUOUS, Kind.ORDINAL])
def test_squares_and_logarithms_stay_those_of_the_released_value(kind: Kind) -> None:
    """Also beside what a logarithm nearly tells: a multiple, and dates."""
    rng = np.random.default_rng(3)
    age = rng.choice([18, 20, 31, 47, 59, 80], 90)
    year = rng.integers(2018, 2024, 90)
    frame = pd.DataFrame(
        {
            "age": age,
            "agesq": age**2,
            "logged": np.round(2.5 * np.log(age) - 1.0, 4),
            "code": age % 7,  # no function that tables have
            "year": year,
            "thousands": 1000 * year - 3,
            "began": pd.to_datetime([f"{number}-01-01" for number in year]),
        }
    )
    names = tuple(frame)
    followers = dict.fromkeys(["agesq", "logged", "code"], "age")
    followers |= dict.fromkeys(["thousands", "began"], "year")
    plan = Plan(
        quasi_identifiers=names,
        kinds=dict.fromkeys(names, Kind.CONTINUOUS) | {"agesq": kind},
        follows=followers,
        attribute_weights=dict.fromkeys(followers, 0.0),
        k=4,
    )
    released = run(plan, read_table(frame)).release.frame
    assert not set(released["age"]) <= set(age), "values that the table does not have"
    np.testing.assert_array_equal(released["agesq"], released["age"] ** 2)
    expected = np.round(2.5 * np.log(released["age"]) - 1.0, 4)
    np.testing.assert_allclose(released["logged"], expected, atol=1e-4)
    assert set(released["code"]) <= set(range(7))
    np.testing.assert_array_equal(released["thousands"], 1000 * released["year"] - 3)
    assert (released["began"].dt.year == released["year"]).all()
    assert (released["began"].dt.day_of_year == 1).all()
