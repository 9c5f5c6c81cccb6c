"""Columns that say the same are found, and such as only look like it are not."""

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Kind
from engine.data.propose import suggest_columns, suggest_schema
from engine.data.propose.relations import followers
from engine.data.propose.relations.compared_column import MAX_COMPARED_RECORDS
from engine.data.propose.relations.followers import find_followers_and_totals
from engine.data.propose.relations.totals import find_total_columns

N = 900
RNG = np.random.default_rng(5)
COUNTRY = RNG.choice(["Aland", "Borneo", "Crete", "Delos", "Elba", "Fiji"], N)
CODES = {"Aland": 20, "Borneo": 31, "Crete": 47, "Delos": 52, "Elba": 60, "Fiji": 75}
CODE = pd.Series(COUNTRY).map(CODES)
SEA = (
    pd.Series(COUNTRY)
    .isin(["Crete", "Delos", "Elba"])
    .map({True: "Mediterranean", False: "elsewhere"})
)

AGE = RNG.integers(18, 90, N)


def first_leaders(
    frame: pd.DataFrame,
    candidates: Sequence[str],
    person: str | None = None,
    amounts: Sequence[str] = (),
) -> dict[str, str]:
    """Return what each column follows while nothing is left out."""
    leaders_by_column, _ = find_followers_and_totals(
        frame, candidates, (), person, amounts
    )
    return {name: leaders[0] for name, leaders in leaders_by_column.items()}


def test_a_code_follows_its_label_and_a_class_what_it_is_of() -> None:
    frame = pd.DataFrame({"ccode": CODE, "country": COUNTRY, "sea": SEA, "age": AGE})
    leaders = first_leaders(frame, tuple(frame))
    assert leaders == {"ccode": "country", "sea": "country"}


def test_an_interval_follows_the_number_it_is_of() -> None:
    group = np.where(AGE < 40, "young", np.where(AGE < 65, "middle", "old"))
    frame = pd.DataFrame({"group": group, "age": AGE, "days": AGE * 365.25 + 3})
    assert first_leaders(frame, tuple(frame)) == {"group": "age", "days": "age"}


def test_what_is_no_interval_of_an_amount_follows_it_without_exceptions_alone() -> None:
    served = np.minimum(AGE, 60)
    frame = pd.DataFrame({"served": served, "odd": np.where(served % 2, "a", "b")})
    names = tuple(frame)
    assert first_leaders(frame, names, None, names) == {"odd": "served"}
    frame.loc[:1, "odd"] = np.where(served[:2] % 2, "b", "a")
    assert first_leaders(frame, names, None, names) == {}
    assert first_leaders(frame, names) == {"odd": "served"}
    frame["old"] = np.where(served < 40, "no", "yes")
    frame.loc[:1, "old"] = np.where(served[:2] < 40, "yes", "no")
    assert first_leaders(frame, (*names, "old"), None, names) == {"old": "served"}


def test_whichever_are_left_out_what_another_one_determines_follows_it() -> None:
    """Told by counting pairs of values, for each choice of the columns that leave."""
    block = RNG.integers(0, 120, N)
    town, party = block // 3, RNG.permutation(120)[block] % 7
    frame = pd.DataFrame(
        {
            "state": np.array(["north", "south", "west"])[town // 16],
            "block": [f"b{one}" for one in block],
            "district": [f"d{one}" for one in town // 4],
            "town": [f"t{one}" for one in town],
            "code": town // 4 + 31,
            "party": [f"p{one}" for one in party],
            "list": [f"l{one}" for one in party // 2],
            "sex": RNG.choice(["f", "m"], N),
        }
    )
    names = tuple(frame)

    def determines(one: str, other: str) -> bool:
        return len(frame[[one, other]].drop_duplicates()) == frame[one].nunique()

    proposed = suggest_schema(frame)
    sizes = range(1, len(names) + 1)
    for leave in chain.from_iterable(combinations(names, n) for n in sizes):
        roles = {n: "quasi-identifier" if n in leave else "identifier" for n in names}
        followers = proposed.assign(roles).followers
        assert not {*followers} & {*followers.values()}
        assert all(determines(leader, name) for name, leader in followers.items())
        for one, other in combinations({*leave} - {*followers}, 2):
            assert not determines(one, other)
            assert not determines(other, one)


def test_leaders_of_leaders_are_looked_for_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared, calls = followers._ComparedColumns, []
    search = compared.find_leaders

    def find_leaders(self: Any, *names: Any) -> dict[str, str]:
        calls.append(names)
        return search(self, *names)

    monkeypatch.setattr(compared, "find_leaders", find_leaders)
    bands = {
        f"by {width}": [f"b{age // width}" for age in AGE] for width in range(1, 60)
    }
    found, _ = find_followers_and_totals(pd.DataFrame(bands), (*bands,), ())
    assert found["by 58"][0] == "by 1"
    assert len(found["by 58"]) > 1
    assert len(calls) <= 1 + followers.MAX_LEFT_OUT_SETS + len(bands)


def test_a_tenth_of_a_per_cent_of_mistakes_changes_nothing() -> None:
    code = CODE.copy()
    code.iloc[:3] = 99
    frame = pd.DataFrame({"country": COUNTRY, "ccode": code})
    assert first_leaders(frame, tuple(frame)) == {"ccode": "country"}


def test_independent_columns_follow_nothing() -> None:
    frame = pd.DataFrame(
        {
            "a": RNG.integers(0, 5, N),
            "b": RNG.integers(0, 2, N),
            "c": RNG.normal(size=N),
            "d": RNG.normal(size=N),
            "rare": (np.arange(N) == 7).astype(int),
        }
    )
    assert first_leaders(frame, tuple(frame)) == {}
    assert find_total_columns(frame, ("a", "c", "d")) == {}


@pytest.mark.parametrize("records", [N, 40 * MAX_COMPARED_RECORDS])
def test_what_nine_people_have_alone_follows_what_says_the_same(records: int) -> None:
    """However many records there are, of which some are compared."""
    ill = np.isin(np.arange(records), RNG.choice(records, 9, replace=False))
    frame = pd.DataFrame(
        {
            "hiv": ill.astype(int),
            "status": np.where(ill, "positive", "negative"),
            "mark": pd.Series(np.where(ill, "x", None), dtype=object),
            "other": np.roll(ill, 1).astype(int),
            "nearly": ill & (np.arange(records) > np.flatnonzero(ill)[0]),
            "sex": np.arange(records) % 2,
            "always": 1,
            "never": pd.Series([None] * records, dtype=object),
        }
    )
    assert first_leaders(frame, tuple(frame)) == {
        "hiv": "status",
        "mark": "status",
    }


def test_what_one_person_has_alone_follows_nothing() -> None:
    """Two columns can say it of the same person, and mean something else."""
    person_flag = (np.arange(N) // 4 == 7).astype(int)
    frame = pd.DataFrame(
        {"a": person_flag, "b": person_flag, "person": np.arange(N) // 4}
    )
    names = ("a", "b")
    assert first_leaders(frame, names, "person") == {}
    assert len(first_leaders(frame, names)) == 1
    record_flag = (np.arange(N) == 7).astype(int)
    assert (
        first_leaders(pd.DataFrame({"a": record_flag, "b": record_flag}), names) == {}
    )


def test_an_exact_age_does_not_decide_what_else_is_known_of_a_person() -> None:
    persons = 300
    age = RNG.permutation(np.arange(persons)) / 7 + 20
    frame = pd.DataFrame(
        {
            "id": np.arange(persons),
            "age": age,
            "treated": RNG.integers(0, 2, persons),
            "site": RNG.choice(["north", "south", "west"], persons),
        }
    )
    frame["region"] = frame["site"].map({"north": 1, "south": 2, "west": 2})
    visits = frame.loc[np.repeat(np.arange(persons), 6)].reset_index(drop=True)
    visits["blood"] = RNG.normal(size=len(visits))
    names = [name for name in visits if name != "id"]
    assert first_leaders(visits, names)["treated"] == "age"
    assert first_leaders(visits, names, "id") == {"region": "site"}
    suggested = {
        suggestion.column.name: suggestion for suggestion in suggest_columns(visits)
    }
    assert not suggested["treated"].column.follows
    assert suggested["region"].column.follows == ("site",)


def test_amounts_that_persons_repeat_are_no_codes() -> None:
    persons = 300
    days = RNG.integers(40, 5_200, persons)
    ward = RNG.choice([3, 7, 20, 41], persons)
    frame = pd.DataFrame({"id": np.arange(persons), "futime": days, "ward": ward})
    visits = frame.loc[np.repeat(np.arange(persons), 6)].reset_index(drop=True)
    kinds = {
        suggestion.column.name: suggestion.column.kind
        for suggestion in suggest_columns(visits)
    }
    assert kinds["futime"] is Kind.CONTINUOUS
    assert kinds["ward"] is Kind.NOMINAL
    without = suggest_columns(visits.drop(columns="id"))
    assert without[0].column.kind is Kind.ORDINAL  # in doubt


def test_a_combination_of_columns_goes_where_another_column_tells_one_of_them() -> None:
    marks = RNG.integers(0, 10, N)
    grade = pd.Series(np.where(marks < 5, "FAIL", "PASS"))
    year = pd.Series(RNG.integers(2001, 2009, N)).astype(str)
    frame = pd.DataFrame(
        {"mark": "m" + pd.Series(marks).astype(str), "grade": grade, "year": year}
    )
    frame.insert(0, "code", year + grade)
    without_mark = frame.drop(columns="mark")
    assert first_leaders(without_mark, [*without_mark]) == {
        "grade": "code",
        "year": "code",
    }
    leaders_by_name, totals = find_followers_and_totals(frame, [*frame], ())
    assert leaders_by_name == {"grade": ("mark",)}
    assert {name: {*parts} for name, parts in totals.items()} == {
        "code": {"grade", "year"}
    }


def test_what_begins_with_a_column_goes_where_another_column_tells_this_one() -> None:
    """School forms such as 10C beside years and days of birth that decide these."""
    rng = np.random.default_rng(8)
    year = rng.integers(5, 13, N)
    born = pd.Timestamp("2020-09-01") - pd.to_timedelta(
        365 * year + rng.integers(0, 365, N), "D"
    )
    letter = pd.Series(rng.choice(list("ABCD"), N))
    frame = pd.DataFrame({"born": born, "year": year})
    frame["form"] = frame["year"].astype(str) + letter
    without_birth = frame.drop(columns="born")
    assert first_leaders(without_birth, [*without_birth]) == {"year": "form"}
    leaders_by_name, totals = find_followers_and_totals(frame, [*frame], ())
    assert leaders_by_name == {"year": ("born",)}
    assert totals == {"form": ("year",)}


def test_a_date_stays_whatever_its_parts_tell_and_follow() -> None:
    date = pd.Series(pd.Timestamp("2001-01-01") + pd.to_timedelta(np.arange(N), "D"))
    month = date.dt.month
    quarter = "q" + ((month + 2) // 3).astype(str)
    season = quarter + pd.Series(RNG.choice(["x", "y"], N))
    frame = pd.DataFrame(
        {
            "date": date,
            "year": date.dt.year,
            "month": month,
            "day": date.dt.day,
            "quarter": quarter,
            "season": season,
        }
    )
    leaders_by_name, totals = find_followers_and_totals(frame, [*frame], ())
    assert (
        leaders_by_name["year"][0]
        == leaders_by_name["month"][0]
        == leaders_by_name["day"][0]
        == "date"
    )
    assert totals == {"season": ("quarter",)}


def test_a_class_with_gaps_follows_only_what_decides_its_gaps() -> None:
    year = pd.Series(RNG.integers(1981, 1997, N))
    period = pd.Series(year // 4).where(year > 1984)
    frame = pd.DataFrame({"year": year, "period": period, "lacking": period.copy()})
    frame.loc[RNG.permutation(N)[: N // 4], "lacking"] = np.nan
    assert first_leaders(frame, ["year", "period"]) == {"period": "year"}
    assert first_leaders(frame, ["year", "lacking"]) == {}


DAYS = pd.Series(
    pd.Timestamp("2019-01-01") + pd.to_timedelta(RNG.integers(0, 1500, N), "D")
)


@pytest.mark.parametrize(
    "part",
    [
        DAYS.dt.month,
        DAYS.dt.strftime("%b"),
        DAYS.dt.day_name(),
        DAYS.dt.quarter.map("Q{}".format),
        DAYS.dt.month.isin([6, 7, 8]),
    ],
)
@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_a_part_of_a_date_follows_the_date(part: pd.Series, zone: str | None) -> None:
    frame = pd.DataFrame({"part": part, "day": DAYS.dt.tz_localize(zone), "age": AGE})
    assert first_leaders(frame, tuple(frame)) == {"part": "day"}


def test_a_month_of_another_date_follows_nothing() -> None:
    frame = pd.DataFrame({"month": DAYS.sample(frac=1, random_state=1).dt.month.array})
    frame["day"] = DAYS
    assert first_leaders(frame, tuple(frame)) == {}
