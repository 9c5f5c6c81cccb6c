"""Records to release: chosen by a condition, the others as if they were not there."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.cli.parsing.parser import main
from engine.constraints.parsing.condition import condition_mask
from engine.core.errors import EngineError, InputError, ParameterError
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from engine.report.guide import analysis_guide

N = 60


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    days = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, N), "D")
    region = rng.choice(["north", "south", "North East"], N).astype(object)
    region[::7] = None
    code = 1_234_567_890 + rng.integers(0, 4, N)
    return pd.DataFrame(
        {
            "region": region,
            "age": rng.integers(0, 90, N),
            "net pay": np.where(rng.random(N) < 0.1, np.nan, rng.integers(1, 50, N)),
            "day": days,
            "firm": code,
            "vip": rng.random(N) < 0.5,
        }
    )


CONDITIONS = {
    "region = north": "region == 'north'",
    "region = 'North East' or age < 18": "region == 'North East' or age < 18",
    "region != north": "region != 'north' and region.notna()",
    "region = north and age >= 18": "region == 'north' and age >= 18",
    "18 <= age <= 65": "18 <= age <= 65",
    "age > 18 and age < 65 or vip = true": "age > 18 and age < 65 or vip",
    "vip = 0": "not vip",
    "`net pay` <= 20": "`net pay` <= 20",
    "age >= 2*`net pay`": "age >= 2 * `net pay`",
    "age * `net pay` > 500": "age * `net pay` > 500",
    "age / `net pay` > 2": "age / `net pay` > 2",
    "day >= 2019-03-01": "day >= '2019-03-01'",
    "firm = 1234567891": "firm == 1234567891",
    "firm != 1234567891": "firm != 1234567891",
    "day - 2015-01-01 <= 365": "day <= '2016-01-01'",
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_chooses_what_pandas_would(condition: str) -> None:
    records = frame()
    expected = records.query(CONDITIONS[condition], engine="python").index
    assert (
        np.flatnonzero(condition_mask(condition, records)).tolist() == expected.tolist()
    )
    assert 0 < len(expected) < N


def test_a_date_is_the_same_in_a_column_of_words() -> None:
    records = pd.DataFrame({"when": ["2020-01-01", "soon"], "age": [1, 2]})
    assert condition_mask("when = 2020-01-01", records).tolist() == [True, False]
    zoned = pd.to_datetime(["2020-01-01 00:30", "2020-01-02 00:00"]).tz_localize(
        "Asia/Tokyo"
    )
    records = pd.DataFrame({"when": zoned})
    assert condition_mask("when >= 2020-01-01", records).tolist() == [True, True]


@pytest.mark.parametrize(
    ("condition", "said"),
    {
        "age": "cannot be read",
        "region = north east": "words of several parts between quotes",
        "not age = 3": "cannot be read",
        "day > '2015-01-01'": "without quotes",
        "if age = 3 then vip = true": "cannot be read",
        "regoin = north": "did you mean 'region'",
        "region = North": "capital letters included",
        "region >= 3": "which holds words",
        "age + region = 3": "which holds words",
        "age = x": "none of its values",
        "vip = maybe": "none of its values",
        "day = soon": "as in 2026-01-31",
        "day = 2015-13-45": "as in 2026-01-31",
        "1 = 1": "says nothing",
        " or ".join(f"(age = {n}" for n in range(200)): "cannot be read",
    }.items(),
)
def test_what_is_no_condition_is_one_sentence(condition: str, said: str) -> None:
    with pytest.raises(ParameterError, match="The records to release") as error:
        condition_mask(condition, frame())
    assert said in str(error.value)


def table_of(records: pd.DataFrame) -> Table:
    roles = dict.fromkeys(("age", "day"), "quasi-identifier")
    roles |= dict.fromkeys(("region", "net pay", "firm", "vip"), "other")
    return read_table(records).assign(roles=roles)


@pytest.mark.parametrize("method", ["mdav", "individual-ranking", "refined"])
def test_the_others_are_as_if_they_were_not_there(method: str) -> None:
    records, plan = frame(), Plan(method=method, k=3, only="region = north")
    outcome = run(plan, table_of(records))
    north = records[records["region"] == "north"]
    north_outcome = run(plan.replace(only=None), table_of(north.reset_index(drop=True)))
    assert outcome.release.rows.tolist() == north.index.tolist()
    assert outcome.information_loss == north_outcome.information_loss
    pd.testing.assert_frame_equal(
        outcome.release.frame.reset_index(drop=True), north_outcome.release.frame
    )
    messages = [warning for warning in outcome.warnings if warning.topic == "only"]
    assert f"{N - len(north)} records are left out" in str(messages[0])


def test_missing_values_count_among_chosen_records_and_by_their_own_numbers() -> None:
    records = frame()
    table = table_of(records).assign(roles={"net pay": "quasi-identifier"})
    lacking = np.flatnonzero(records["net pay"].isna())
    low_pay_plan = Plan(k=3, only="`net pay` <= 100")
    assert len(run(low_pay_plan, table).release.rows) == N - lacking.size
    late = int(lacking[lacking > 20][0])
    chosen = records["age"].where(records.index >= 20, -1)
    table = table_of(records.assign(age=chosen)).assign(
        roles={"net pay": "quasi-identifier"}
    )
    with pytest.raises(InputError, match=f"first in record {late + 1}\\)"):
        run(Plan(k=3, only="age >= 0"), table)


def test_a_condition_goes_with_households_strata_and_outliers() -> None:
    records = frame().assign(home=np.arange(N) // 2)
    table = table_of(records)
    for choices in ({"household": "home"}, {"strata": "vip"}, {"suppress": 2}):
        outcome = run(Plan(k=2, only="firm <= 1234567891", **choices), table)
        chosen = records.index[records["firm"] <= 1234567891]
        assert set(outcome.release.rows.tolist()) <= set(chosen.tolist())
        assert outcome.k_verified


def test_too_few_and_none_are_refused() -> None:
    for only, pattern in (
        ("age = 200", "true of none of 60"),
        ("firm = 1", "none of 60"),
    ):
        with pytest.raises(EngineError, match=pattern):
            run(Plan(k=3, only=only), table_of(frame()))
    with pytest.raises(EngineError, match="k = 50"):
        run(Plan(k=50, only="vip = true"), table_of(frame()))


def test_the_written_file_is_asked_again(tmp_path: Path) -> None:
    table = table_of(frame())
    outcome = run(Plan(k=3, only="vip = true"), table)
    writing = WritingOptions(format="csv", shuffle=True)
    written = release_bytes_and_checks(outcome, table, writing)
    (check,) = (file_check for file_check in written.checks if file_check.id == "only")
    assert check.passed
    # A release of other records does not pass as one of these.
    plan = resolve_plan(outcome.plan.replace(only="vip = false"), table)
    wrong = release_bytes_and_checks(replace(outcome, plan=plan), table, writing)
    (check,) = (file_check for file_check in wrong.checks if file_check.id == "only")
    assert not check.passed
    assert "`vip = true`" in analysis_guide(outcome)


def test_the_command_line_takes_a_condition(tmp_path: Path) -> None:
    source, target = tmp_path / "a.csv", tmp_path / "b.csv"
    frame().to_csv(source, index=False)
    line = ["run", str(source), "--quasi-identifiers", "age,firm", "--k", "3"]
    line += ["--output", str(target), "--only"]
    assert main([*line, "region = nowhere"]) == 2
    assert not target.exists()
    assert main([*line, "region = north"]) == 0
    north = frame()["region"] == "north"
    back = pd.read_csv(target)
    assert len(back) == north.sum()
    assert back["region"].unique().tolist() == ["north"]


@pytest.mark.parametrize("only", ["", " "])
def test_a_condition_that_says_nothing_is_refused(only: str) -> None:
    with pytest.raises(ParameterError, match=r"condition .* is empty"):
        Plan(k=3, only=only)
