"""Totals, products, orders and durations that hold in the file hold in the release."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from engine.analysis.protect import decide_all_roles, protect
from engine.analysis.protect.protect import plan_for_settled_table
from engine.analysis.protect.settle import leave_out_columns
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.data.schema import COSTLY
from engine.files import read_table
from engine.pipeline.run import run
from tests.engine.analysis.protect.cases import RNG, N, people


def test_no_date_contradicts_a_start_and_a_duration() -> None:
    start = pd.Timestamp("2014-01-02") + pd.to_timedelta(RNG.integers(0, 400, N), "D")
    days = RNG.integers(5, 180, N)
    end = start + pd.to_timedelta(days, "D")
    frame = pd.DataFrame({"start": start, "end": end, "days": days})
    frame["finished"] = end  # once more
    frame["ended"] = (end + pd.Timedelta("23h")).strftime("%Y-%m-%dT%H:%M:%SZ")
    release = protect(frame).release
    assert {"start", "days"} <= {*release}
    computed_end = release["start"] + pd.to_timedelta(release["days"], "D")
    for name in ("end", "finished", "ended"):
        assert name not in release or (release[name] == computed_end).all()


def _totals(case: str) -> tuple[dict[str, Values], dict[str, tuple[str, str]]]:
    """Return columns of amounts, and the two parts of each of the totals."""
    rng = np.random.default_rng(5)
    a, b, c, net = rng.integers([10, 5, 50, 200], [900, 700, 2_000, 9_000], (600, 4)).T
    tax, share = (net * 0.19).round().astype(int), (rng.random(600) * (a + b)).round()
    cases = {
        "a part follows": {
            **{"net": net, "tax": tax, "sum": net + tax},
            **{"c": c, "all": net + tax + c},
        },
        "parts follow the total": {"sum": net + tax, "tax": tax, "net": net},
        "a part of a total is one": {
            "a": a,
            "b": b,
            "ab": a + b,
            "c": c,
            "sum": a + b + c,
        },
        "the whole first": {"sum": a + b + c, "ab": a + b, "a": a, "b": b, "c": c},
        "two currencies": {"k": (a + b) / 1000, "a": a, "b": b, "sum": a + b},
        "a balance": {
            **{"a": a, "b": b, "sum": a + b},
            **{"e": share, "d": a + b - share, "same": (a + b) * 1.0},
        },
    }
    columns = cases[case]
    nested = {"ab": ("a", "b"), "sum": ("ab", "c")}
    plain = {"sum": ("net", "tax") if "net" in columns else ("a", "b")}
    balance = {"same": ("d", "e")} if "same" in columns else {}
    return columns, nested if "ab" in columns else plain | balance


@pytest.mark.parametrize(
    "case",
    [
        "a part follows",
        "parts follow the total",
        "a part of a total is one",
        "the whole first",
        "two currencies",
        "a balance",
    ],
)
def test_totals_that_leave_are_the_sums_of_their_parts(case: str) -> None:
    columns, totals = _totals(case)
    age = np.random.default_rng(1).integers(18, 80, 600)
    protected = protect(pd.DataFrame({"age": age, **columns}), k=5)
    released = protected.release
    reason_by_column = {
        omission.column: str(omission.why) for omission in protected.left_out
    }
    # A total leaves unless its parts tell each other.
    assert reason_by_column.keys() == (
        {"sum", "all"} & {*columns} if "net" in columns else set()
    )
    if "all" in columns:
        assert reason_by_column["all"] == "It follows from net, tax and c, which leave."
    for total, parts in totals.items():
        if total not in reason_by_column:
            wrong = released[total] - released[list(parts)].sum(axis=1)
            assert (wrong.abs() < 1e-9).all()
    if "k" in columns:
        assert np.allclose(released["k"] * 1000, released["sum"])


def test_totals_of_confidential_amounts_that_no_rule_binds_are_left_out() -> None:
    rng = np.random.default_rng(9)
    wage, bonus = rng.integers([900, 10], [5_000, 900], (200, 2)).T
    frame = pd.DataFrame({"age": rng.integers(18, 66, 200), "Base salary": wage})
    frame = frame.assign(**{"Bonus": bonus, "Total salary": wage + bonus})
    frame.loc[:3, ["Bonus", "Total salary"]] = np.nan  # which no rule binds
    protected = protect(frame, k=5)
    assert "Total salary" not in protected.release
    asked_names = [
        name for question in protected.questions for name in question.columns
    ]
    assert "Total salary" not in asked_names


@pytest.mark.parametrize("is_led", [False, True])
def test_of_a_total_that_cannot_be_kept_what_nothing_depends_on_is_left_out(
    is_led: bool,
) -> None:
    rng = np.random.default_rng(1)
    wage, bonus = rng.integers([900, 0], [5_000, 900], (600, 2)).T
    frame = pd.DataFrame({"age": rng.integers(18, 80, 600), "a": wage, "b": bonus})
    frame["all"] = (wage + bonus).astype(float)
    if is_led:
        frame["band"] = pd.cut(frame["all"], [0, 2e3, 3e3, 4e3, 9e3], labels=[*"wxyz"])
        frame["band"] = frame["band"].astype(str)
    for wrong in (np.nan,) if is_led else (np.nan, 7.0):
        frame.loc[[3, 99, 400], "all"] = wrong
        protection = protect(frame, k=5, shuffle_seed=1)
        assert {*frame} - {*protection.release} == {"b" if is_led else "all"}


def test_what_says_the_same_as_a_total_leaves_only_beside_it() -> None:
    columns, _ = _totals("a balance")
    frame = pd.DataFrame({**columns, "k": columns["sum"] / 1000})
    role_decisions = decide_all_roles(read_table(frame), 5)
    assert role_decisions.rules == ("a + b = sum", "e + d = sum")
    reduced_decisions = leave_out_columns(role_decisions, {"sum": COSTLY})
    why = "It follows from a and b, which leave."
    assert {
        omission.column: str(omission.why) for omission in reduced_decisions.left_out
    } == {
        "sum": str(COSTLY),
        "same": why,
        "k": why,
    }
    assert reduced_decisions.rules == ()


ORDERED = {
    "children <= ceb": ("rank", "amount"),
    "agreed <= worked": ("whole", "decimal"),
    "low <= `high est.`": ("whole", "gaps"),
    "begun <= ended": ("date", "date gaps"),
}


def ordered_columns(kinds: tuple[str, str], seed: int) -> tuple[pd.Series, pd.Series]:
    """Return two columns of which the first is never above the second, often equal."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, {"rank": 9, "whole": 60, "date": 300}[kinds[0]], N)
    more = np.where(rng.random(N) < 0.8, 0, rng.integers(1, 9, N))
    if kinds[1] == "decimal":
        more = (more * 1.1).round(1)
    low_column, other = pd.Series(low), pd.Series(low + more)
    if kinds[0] == "date":
        day = pd.Timestamp("2020-01-01")
        low_column, other = (
            day + pd.to_timedelta(each, "D") for each in (low_column, other)
        )
    return low_column, other.mask(rng.random(N) < 0.03) if "gaps" in kinds[1] else other


@pytest.mark.parametrize("rule", ORDERED)
def test_a_column_stays_at_most_as_high_as_another_one(rule: str) -> None:
    low, high = rule.replace("`", "").split(" <= ")
    n_broken = 0
    for seed in range(4):
        low_values, other = ordered_columns(ORDERED[rule], seed)
        frame = people()[["age", "race"]].assign(**{low: low_values, high: other})
        role_decisions = decide_all_roles(read_table(frame), 5)
        if ORDERED[rule][0] == "rank":  # whose median is above some means
            kinds = {low: Kind.ORDINAL, high: Kind.CONTINUOUS}
            table = role_decisions.table.assign(kinds=kinds)
            role_decisions = leave_out_columns(
                dataclasses.replace(role_decisions, table=table), {}
            )
        assert role_decisions.rules == (rule,)
        plan = plan_for_settled_table(role_decisions, 5)
        release = run(plan, role_decisions.table).release.frame
        assert not (release[low] > release[high]).any()
        assert {*release[low].dropna()} <= {*low_values} or ORDERED[rule][0] != "rank"
        unbound = run(plan.replace(constraints=()), role_decisions.table).release.frame
        n_broken += int((unbound[low] > unbound[high]).sum())
    assert n_broken > 0


def test_what_is_never_above_another_by_accident_is_no_rule() -> None:
    frame = people()[["age", "income"]].assign(
        rooms=RNG.integers(1, 6, N),
        seats=RNG.integers(2, 9, N),
        score=RNG.normal(50, 10, N).round(1),
    )
    assert decide_all_roles(read_table(frame), 5).rules == ()


@pytest.mark.parametrize("seed", range(6))
def test_no_product_or_quotient_contradicts_its_factors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "race": rng.choice([1, 2, 4, 7, 9], N),
            "urban": rng.integers(0, 2, N),
            "educ": rng.integers(0, 20, N),
            "weight": rng.normal(75, 12, N).round(1),
            "height": rng.normal(172, 9, N).round(),
        }
    )
    frame["urb_educ"] = frame["urban"] * frame["educ"]
    frame["bmi"] = (1e4 * frame["weight"] / frame["height"] ** 2).round(1)
    protection = protect(frame)
    assert {"urban", "educ", "weight", "height"} <= {*protection.release}
    why = {omission.column: str(omission.why) for omission in protection.left_out}
    assert why["urb_educ"] == "It follows from educ and urban, which leave."
    assert why["bmi"] == "It follows from weight and height, which leave."
