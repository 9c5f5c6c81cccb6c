"""Releases satisfy the rules, whatever the method, common value and rounding."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from engine import Plan, run
from engine.aggregate import aggregations
from engine.bounds import NO_BOUND, LowerBound
from engine.constraints.linear import Equation
from engine.constraints.rules import parse_rules
from engine.core.errors import InfeasibleError, ParameterError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Origin, Table
from engine.files import frame_to_bytes, read_table
from engine.methods import methods
from engine.pipeline.compare import compare
from engine.storage.outcomes import load_outcome, save_outcome

RULES = ("1.16*exp16 + 1.07*exp7 = total", "exp16 >= 0", "0 <= exp7 <= 60")
NUMBERS = ("exp16", "exp7", "total")


def spending(n=60, broken=6):
    """Return records that obey RULES, but for the first few, whose total is off."""
    rng = np.random.default_rng(12)
    exp16, exp7 = rng.integers(0, 90, n), rng.integers(0, 60, n)
    total = np.round(1.16 * exp16 + 1.07 * exp7, 2)
    total[:broken] += 25.5
    exp7[0] = 70
    frame = pd.DataFrame({"exp16": exp16, "exp7": exp7, "total": total.round(2)})
    columns = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in NUMBERS]
    return Table.from_frame(frame, Schema(tuple(columns)), Origin("csv", {}, "x.csv"))


def keeps_them(frame, texts=RULES, names=NUMBERS, exactly=()):
    """Check rules on a release: exactly, as decimals, where columns are rounded."""
    rules = parse_rules(texts, names)
    values = frame[list(names)].to_numpy(dtype=float)
    assert not rules.broken(values).any()
    for row in values.tolist():
        exact = [Fraction(Decimal(repr(value))) for value in row]
        for member in rules.members:
            named = {names[j] for j in member.support}
            if isinstance(member, Equation) and named <= set(exactly):
                terms = zip(member.factors, exact, strict=True)
                assert sum(f * value for f, value in terms) == member.constant


def for_numbers():
    return [info.id for info in aggregations.infos() if Kind.CONTINUOUS in info.kinds]


SEVERAL = [
    info.id
    for info in methods.infos()
    if not info.traits.univariate and not info.traits.per_attribute
]
EACH = [info.id for info in methods.infos() if info.traits.per_attribute]
ALONE = [info.id for info in methods.infos() if info.traits.univariate]


ROUNDINGS = ("types", "precision", "none")


@pytest.mark.parametrize(
    ("method", "rounding"),
    [
        # Each method once: what rounds knows nothing of how records were grouped.
        pytest.param(
            method, parameter, marks=[] if (i - j) % 3 == 0 else [pytest.mark.slow]
        )
        for i, method in enumerate(SEVERAL)
        for j, parameter in enumerate(ROUNDINGS)
    ],
)
def test_every_method_keeps_them_with_every_rounding(method, rounding):
    parameters = {}
    if "seconds" in {parameter.name for parameter in methods.info(method).parameters}:
        parameters = {"seconds": 0.2}
    plan = Plan(
        method=method,
        k=4,
        constraints=RULES,
        rounding=rounding,
        parameters=parameters,
        aggregation="mean",
    )
    outcome = run(plan, spending())
    exactly = () if rounding == "none" else NUMBERS
    keeps_them(outcome.release.frame, exactly=exactly)
    assert outcome.release.rules == RULES
    if rounding != "none":
        assert outcome.release.frame["exp16"].dtype == spending().frame["exp16"].dtype
    if outcome.partition.guarantees_k:
        assert outcome.k_verified


@pytest.mark.parametrize("decimals", range(4))
@pytest.mark.parametrize("rule", ["a + b = c", "a + b + c = 100", "2*a - b = c"])
def test_columns_keep_their_decimals_with_rules_unless_nothing_is_rounded(
    rule, decimals
):
    rng = np.random.default_rng(decimals)
    frame = pd.DataFrame(
        np.round(rng.normal(40, 9, (60, 4)), decimals), columns=[*"abcd"]
    )
    frame["d"] = np.round(frame["d"] + 0.5 ** (decimals + 2), decimals + 2)
    columns = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(columns)), Origin("csv", {}, "x.csv"))
    release = run(Plan(k=3, constraints=(rule,)), table).release.frame
    keeps_them(release, (rule,), (*"abcd",), exactly="abc")
    for name in "abc":
        places = [len(repr(value).partition(".")[2]) for value in release[name]]
        assert max(places) <= max(decimals, 1)
    places = [len(repr(value).partition(".")[2]) for value in release["d"]]
    assert max(places) <= decimals + 2
    loose = run(Plan(k=3, constraints=(rule,), rounding="none"), table).release.frame
    assert max(len(repr(value)) for value in loose["a"]) > 10


def test_decimals_that_no_rule_asks_for_stand_in_no_run_s_way():
    frame = pd.DataFrame({"a": np.arange(30) / 10, "b": np.arange(30) / 10 + 0.05})
    columns = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(columns)), Origin("csv", {}, "x.csv"))
    rules = ("3*a = 0.1",)
    with pytest.raises(InfeasibleError):
        run(Plan(k=3, constraints=rules, rounding="precision"), table)
    released = run(Plan(k=3, constraints=rules), table).release.frame
    keeps_them(released, rules, ("a", "b"))


@pytest.mark.parametrize("method", EACH)
def test_rules_between_columns_are_refused_where_each_is_grouped_alone(method):
    table = spending()
    table = table.assign(roles=dict.fromkeys(table.schema.names, "quasi-identifier"))
    with pytest.raises(ParameterError, match="would break up its groups"):
        run(Plan(method=method, k=4, constraints=RULES), table)
    outcomes = compare(
        [Plan(method=name, k=4, constraints=RULES) for name in ("mdav", method)], table
    )
    assert [hasattr(each, "release") for each in outcomes] == [True, False]


@pytest.mark.parametrize("method", EACH)
def test_bounds_keep_the_groups_of_each_attribute(method):
    plan = Plan(method=method, k=4, constraints=("0 <= exp7 <= 30", "total >= 40"))
    outcome = run(plan, spending())
    released = outcome.release.frame
    assert released["exp7"].max() <= 30
    assert released["total"].min() >= 40
    for name in NUMBERS:
        assert released[name].value_counts().min() >= 4
    assert 0 < outcome.bound.per_cent <= outcome.information_loss


def test_a_bound_above_the_loss_is_left_out_and_said(monkeypatch):
    wrong = LowerBound("nearest", 1e9, 99.0)
    monkeypatch.setattr(
        "engine.pipeline.grouping.bound.strongest_affordable_bound", lambda *_: wrong
    )
    outcome = run(Plan(k=3), spending())
    assert outcome.bound == NO_BOUND
    assert any("please report" in text for text in outcome.warnings)


@pytest.mark.parametrize("method", ALONE)
@pytest.mark.parametrize("rounding", ["types", "precision", "none"])
def test_methods_for_one_column_keep_its_bounds(method, rounding):
    plan = Plan(
        method=method,
        k=4,
        quasi_identifiers=("total",),
        constraints=("30 <= total <= 60.25",),
        rounding=rounding,
    )
    released = run(plan, spending()).release.frame["total"]
    assert released.between(30, 60.25).all()
    assert released.min() == 30
    assert released.max() == 60.25


@pytest.mark.parametrize("aggregation", for_numbers())
@pytest.mark.parametrize("rounding", ["types", "precision", "none"])
def test_every_common_value_keeps_them_or_is_refused(aggregation, rounding):
    plan = Plan(k=4, constraints=RULES, rounding=rounding, aggregation=aggregation)
    refused = {
        "interval": "no numbers",
        "generalise": "no numbers",
        "geometric-mean": "values of 0",
    }
    if aggregation in refused:
        with pytest.raises(ParameterError, match=refused[aggregation]):
            run(plan, spending())
        return
    exactly = () if rounding == "none" else NUMBERS
    keeps_them(run(plan, spending()).release.frame, exactly=exactly)


def test_the_written_file_keeps_them_to_the_cent():
    table = spending()
    outcome = run(Plan(k=3, constraints=RULES, rounding="precision"), table)
    content = frame_to_bytes(outcome.release.frame, table.origin)
    read_frame = read_table(content, name="release.csv").frame
    keeps_them(read_frame, exactly=NUMBERS)
    assert all(len(line.split(",")[2]) <= 6 for line in content.decode().split()[1:])


def test_the_outcome_counts_the_records_that_broke_each_rule(tmp_path):
    table = spending()
    outcome = run(Plan(k=3, constraints=RULES), table)
    expected = {RULES[0]: 6, RULES[1]: 0, RULES[2]: 1}
    # The first record's exp7 was changed after its total was worked out.
    assert dict(outcome.rules_broken) == expected
    assert outcome.summary()["rules_broken"] == expected
    assert any("6 records break the rule" in text for text in outcome.warnings)
    assert any("1 record breaks the rule" in text for text in outcome.warnings)
    save_outcome(outcome, tmp_path / "outcome", table)
    assert dict(load_outcome(tmp_path / "outcome", table).rules_broken) == expected


def test_the_loss_is_that_of_the_exact_values_and_rounding_is_reported_beside_it():
    table = spending()
    results = {
        rounding: run(Plan(k=3, constraints=RULES, rounding=rounding), table)
        for rounding in ("none", "precision")
    }
    exact, rounded = (results[name].summary() for name in ("none", "precision"))
    assert exact["information_loss"] == exact["information_loss_released"]
    assert rounded["information_loss"] == exact["information_loss"]
    assert rounded["information_loss_released"] != exact["information_loss"]
    values = table.frame.to_numpy(dtype=float)
    written = results["precision"].release.frame.to_numpy(dtype=float)
    scaled = ((values - written) / values.std(axis=0)) ** 2
    assert rounded["information_loss_released"] == pytest.approx(
        100 * scaled.sum() / values.size
    )


def test_a_rounding_that_no_values_meet_stops_before_the_run():
    rules = ("2*exp16 + 2*exp7 = 101",)
    with pytest.raises(InfeasibleError, match="'exp16' is rounded to whole numbers"):
        run(Plan(k=3, constraints=rules), spending())
    keeps_them(
        run(Plan(k=3, constraints=rules, rounding="none"), spending()).release.frame,
        rules,
    )


def test_plans_that_differ_in_rounding_alone_are_not_mixed_up():
    plans = [
        Plan(k=3, constraints=RULES, rounding=name) for name in ("none", "precision")
    ]
    exact, rounded = compare(plans, spending())
    assert not (exact.release.frame["exp16"] % 1 == 0).all()
    assert (rounded.release.frame["exp16"] % 1 == 0).all()


def test_missing_values_that_are_kept_leave_the_other_rules_in_force():
    table = spending(broken=20)
    frame = table.frame.astype(float)
    frame.loc[frame.index[30:], "total"] = np.nan
    frame.loc[frame.index[30:], "exp16"] -= 60
    table = Table.from_frame(frame, table.schema, table.origin)
    plan = Plan(k=4, constraints=RULES, rounding="precision", missing="keep")
    outcome = run(plan, table)
    released = outcome.release.frame
    keeps_them(released.iloc[:30], exactly=NUMBERS)
    assert released["total"][30:].isna().all()
    assert (released["exp16"] >= 0).all()
    assert outcome.rules_broken[RULES[0]] == 20


@pytest.mark.parametrize("rounding", ["types", "precision", "none"])
def test_blocks_keep_their_k_under_rules(rounding):
    table = spending()
    rng = np.random.default_rng(5)
    frame = table.frame.assign(staff=rng.integers(1, 90, 60), sales=rng.random(60))
    frame["double"] = 2 * frame["staff"] + rng.integers(0, 2, 60)
    columns = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(columns)))
    blocks = (NUMBERS, ("staff", "sales", "double"))
    rules = (*RULES, "double = 2*staff", "sales >= 0.25")
    plan = Plan(k=4, blocks=blocks, constraints=rules, rounding=rounding)
    released = run(plan, table).release.frame
    keeps_them(released, rules, tuple(frame.columns))
    for block in blocks:
        assert released.groupby(list(block)).size().min() >= 4


def test_dates_can_be_bound_in_days():
    rng = np.random.default_rng(2)
    start = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 300, 40), "D")
    stay = rng.integers(1, 20, 40)
    frame = pd.DataFrame(
        {"start": start, "stay": stay, "end": start + pd.to_timedelta(stay, "D")}
    )
    kinds = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(kinds)))
    outcome = run(Plan(k=3, constraints=("start + stay = end", "stay >= 1")), table)
    released = outcome.release.frame
    days = (released["end"] - released["start"]).dt.days
    assert (days == released["stay"]).all()
    assert outcome.rules_broken == {"start + stay = end": 0, "stay >= 1": 0}


def test_a_rule_about_words_is_refused():
    frame = spending().frame.assign(place=["a", "b"] * 30)
    columns = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in NUMBERS]
    columns.append(Column("place", Kind.NOMINAL, Role.QUASI_IDENTIFIER))
    table = Table.from_frame(frame, Schema(tuple(columns)))
    plan = Plan(constraints=("place >= 0",), aggregation="mode")
    with pytest.raises(ParameterError, match="'place'"):
        run(plan, table)
