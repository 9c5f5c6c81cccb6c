"""What survived of each column, beside plain counting with pandas."""

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.files import read_table
from engine.hierarchy import Hierarchy
from engine.pipeline.column_survival import ColumnSurvival
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

KINDS = {
    "age": Kind.CONTINUOUS,
    "pay": Kind.CONTINUOUS,
    "born": Kind.CONTINUOUS,
    "place": Kind.NOMINAL,
    "left": Kind.NOMINAL,
}
PLACES = Hierarchy(
    tuple((f"{a}{b}", f"{a}*", "*") for a in "1234" for b in "123456789")
)


def table(n: int = 80, seed: int = 1) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "pay": rng.normal(50, 9, n).round(1),
            "born": pd.Timestamp("1970-01-01")
            + pd.to_timedelta(rng.integers(0, 9000, n), unit="D"),
            "place": rng.choice([row[0] for row in PLACES.rows], n),
            "left": rng.choice(["x", "y"], n),
        }
    )
    frame.loc[[3, 8, 9, 21, 30, 44], "pay"] = np.nan
    columns = tuple(
        Column(
            name,
            kind,
            Role.OTHER if name == "left" else Role.QUASI_IDENTIFIER,
            hierarchy=PLACES if name == "place" else None,
        )
        for name, kind in KINDS.items()
    )
    return Table.from_frame(frame, Schema(columns))


def protected(method: str = "mdav-mixed", **choices: object) -> tuple[Outcome, Table]:
    data = table()
    plan = Plan(**{"k": 4, "missing": "keep", "method": method, **choices})
    return run(plan, data), data


RULES: list[dict[str, object]] = [
    {},
    {"aggregation": "interval"},
    {"aggregation": "generalise"},
    {"rounding": "precision"},
    {"missing": "median"},
    {"missing": "drop", "method": "caat"},
]


@pytest.mark.parametrize("choices", RULES, ids=str)
def test_shares_are_those_of_a_count(choices: dict[str, object]) -> None:
    outcome, data = protected(**choices)
    release = outcome.release.frame
    before = data.frame.iloc[outcome.release.rows]
    for name, survival in outcome.survived.items():
        old = before[name].map(str, na_action="ignore").fillna("missing")
        new = release[name].map(str, na_action="ignore").fillna("missing")
        # 5 and 5.0 say the same; so do a date and its midnight.
        old, new = (
            column.str.removesuffix(".0").str.removesuffix(" 00:00:00")
            for column in (old, new)
        )
        same = old == new
        gone = ~same & (new.isin(["*", "missing"]))
        text = release[name].dtype == before[name].dtype
        assert survival.kept == pytest.approx(same.mean())
        assert survival.gone == pytest.approx(gone.mean())
        assert (
            survival.kept + survival.changed + survival.generalised + survival.gone
            == (pytest.approx(1.0, abs=1e-12))
        )
        if text and survival.after != "text":
            assert survival.generalised == 0.0
    assert outcome.survived["left"].kept == 1.0
    summary = outcome.summary()
    assert list(summary["survived"]) == list(release.columns)
    for shares in summary["survived"].values():
        assert sum(shares.values()) == pytest.approx(1.0, abs=1e-12)


def test_changes_are_in_the_unit_of_the_column() -> None:
    outcome, data = protected(aggregations={"place": "mode"})
    release, before = outcome.release.frame, data.frame
    age = (release["age"] - before["age"]).abs()
    assert outcome.survived["age"].average_change == pytest.approx(age.mean())
    pay = (release["pay"] - before["pay"]).abs()
    assert outcome.survived["pay"].average_change == pytest.approx(pay.mean())
    days = (release["born"] - before["born"]).abs() / pd.Timedelta(days=1)
    assert outcome.survived["born"].average_change == pytest.approx(days.mean())
    assert outcome.survived["place"].average_change is None
    assert outcome.survived["pay"].decimals_before == 1


def test_types_that_change_are_told() -> None:
    outcome, _ = protected(aggregations={"age": "interval"})
    assert outcome.survived["age"].before == "whole number"
    assert outcome.survived["age"].after == "text"
    assert outcome.survived["age"].has_numbers_as_text
    assert not outcome.survived["pay"].has_numbers_as_text
    assert outcome.survived["born"].after == "date"


def test_a_column_that_is_gone_is_called_out_with_the_remedy() -> None:
    data = table()
    flat = data.assign(hierarchies={"place": None})
    plan = Plan(
        method="mdav-mixed",
        k=20,
        missing="median",
        aggregations={"place": "generalise"},
    )
    outcome = run(plan, flat)
    starred = (outcome.release.frame["place"] == "*").mean()
    assert starred > 0.5
    assert outcome.survived["place"].gone == pytest.approx(starred)
    [lost_warning] = [
        warning for warning in outcome.warnings if warning.topic == "lost"
    ]
    assert (
        f"'place' is gone (*) in {100 * starred:.0f} % of the records" in lost_warning
    )
    assert "hierarchy" in lost_warning
    assert outcome.summary()["column_changes"]["place"]["lost"]


def test_what_was_constant_before_is_not_called_out() -> None:
    frame = pd.DataFrame({"a": np.arange(12.0), "b": [1.0] * 9 + [2.0] * 3})
    columns = (Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in frame)
    data = Table.from_frame(frame, Schema(tuple(columns)))
    outcome = run(Plan(k=3), data)
    assert not [warning for warning in outcome.warnings if warning.topic == "lost"]
    outcome = run(Plan(k=12), data)
    assert outcome.survived["a"].single
    assert {
        warning.values["column"]
        for warning in outcome.warnings
        if warning.topic == "lost"
    } == {
        "a",
        "b",
    }


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [(0.499, 0.502, False), (0.45, 0.55, False), (0.2, 0.6, True), (0.3, 0.9, True)],
)
def test_a_column_is_constant_where_most_of_what_differed_is_gone(
    before: float, after: float, lost: bool
) -> None:
    survival = ColumnSurvival(0.9, 0.1, frequent=after, frequent_before=before)
    assert survival.is_constant is lost


def test_what_is_left_of_the_variance_within_persons_is_told() -> None:
    rng = np.random.default_rng(2)
    who = np.repeat(np.arange(20), 4)
    frame = pd.DataFrame(
        {
            "pay": rng.normal(size=80) + who,
            "born": 1950 + who,
            "left": rng.choice(["x", "y"], 80),
            "who": [f"p{person}" for person in who],
        }
    )
    frame.loc[:1, "who"] = ""
    quasi = ("pay", "born", "left")
    outcome = run(Plan(k=3, quasi_identifiers=quasi, person="who"), read_table(frame))
    known_mask = frame["who"] != ""

    def within(column: pd.Series) -> float:
        means = column.groupby(frame["who"]).transform("mean")
        return float((column - means)[known_mask].var())

    ratio = within(outcome.release.frame["pay"]) / within(frame["pay"])
    assert outcome.survived["pay"].within_persons == pytest.approx(ratio)
    assert ratio != pytest.approx(1.0, abs=0.05)
    changes = outcome.summary()["column_changes"]
    assert changes["pay"]["within_persons"] == pytest.approx(ratio)
    assert changes["born"]["within_persons"] is None  # nobody's changes
    assert changes["left"]["within_persons"] is None
    plain_outcome = run(Plan(k=3, quasi_identifiers=quasi), read_table(frame))
    assert plain_outcome.survived["pay"].within_persons is None
