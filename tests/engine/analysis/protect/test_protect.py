"""Protecting without asking: nothing names anybody, nothing is made up, k holds."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import engine
from engine.analysis.protect import decide_all_roles, protect
from engine.analysis.protect.protect import plan_for_settled_table
from engine.analysis.protect.settle import (
    leave_columns_of_many_categories_undecided,
    leave_out_columns,
    protect_confidential_columns,
)
from engine.core.errors import EngineError, InfeasibleError
from engine.core.typing import Values
from engine.data.kinds import Kind, Role
from engine.data.propose import persons, suggest_columns
from engine.data.schema import COSTLY
from engine.files import read_table
from engine.measures.classes import smallest_class_size
from engine.pipeline.run import run

N = 240
RNG = np.random.default_rng(8)


def people() -> pd.DataFrame:
    age = RNG.integers(18, 90, N)
    frame = pd.DataFrame(
        {
            "rownames": np.arange(1, N + 1),
            "name": [f"Anna Schmidt {i}" for i in range(N)],
            "age": age,
            "race": RNG.choice([1, 2, 4, 7, 9], N),
            "industry": RNG.choice([170, 3895, 6470, 7860, 8680, 9870], N),
            "income": RNG.lognormal(10, 0.5, N).round(-2),
            "senior": np.where(age >= 65, "yes", "no"),
            "notes": [f"came on day {i} and said it was fine" for i in range(N)],
            "disease": RNG.choice(["flu", "none", "asthma"], N),
        }
    )
    frame.loc[::17, "income"] = np.nan
    return frame


def test_names_keys_and_free_text_do_not_leave() -> None:
    found = protect(people())
    assert {"rownames", "name", "notes"} <= {one.column for one in found.left_out}
    assert not {"rownames", "name", "notes"} & {*found.release}
    assert all(one.why for one in found.left_out)


def test_codes_are_those_of_the_file_and_k_holds() -> None:
    frame = people()
    found = protect(frame, k=5)
    for name in ("race", "industry", "disease"):
        assert {*found.release[name]} <= {*frame[name]}
    names = found.outcome.plan.quasi_identifiers
    assert smallest_class_size(found.release, names) >= 5
    assert ((found.release["age"] >= 65) == (found.release["senior"] == "yes")).all()


def test_dates_of_waves_are_those_of_the_file_and_births_may_be_between() -> None:
    frame = people()[["age", "race"]]
    waves = pd.to_datetime(["2017-05-13", "2018-05-12", "2019-05-11"])
    frame["visited"] = RNG.choice(waves, N)
    frame["seen"] = frame["visited"].dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    frame["born"] = pd.Timestamp("1990-01-01") + pd.to_timedelta(9 * np.arange(N), "D")
    found = protect(frame, k=5).release
    for name in ("visited", "seen"):
        assert {*found[name]} <= {*frame[name]}
        assert found[name].nunique() > 1
    assert not {*found["born"]} <= {*frame["born"]}


def test_no_date_contradicts_a_start_and_a_duration() -> None:
    start = pd.Timestamp("2014-01-02") + pd.to_timedelta(RNG.integers(0, 400, N), "D")
    days = RNG.integers(5, 180, N)
    end = start + pd.to_timedelta(days, "D")
    frame = pd.DataFrame({"start": start, "end": end, "days": days})
    frame["finished"] = end  # once more
    frame["ended"] = (end + pd.Timedelta("23h")).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = protect(frame).release
    assert {"start", "days"} <= {*found}
    told = found["start"] + pd.to_timedelta(found["days"], "D")
    for name in ("end", "finished", "ended"):
        assert name not in found or (found[name] == told).all()


AMOUNTS = {
    "worth": lambda x: f"${x / 1e3:.1f}M" if x > 1e4 else f"${x:.0f}K",
    "paid": lambda x: f"{x:,.2f} \u20ac".translate(str.maketrans(",.", ".,")),
    "height": lambda x: f"{150 + x % 40:.0f} cm",
    "change": lambda x: f"({x:,.0f})" if x % 3 < 1 else f"{x:,.0f}",
}


def test_amounts_as_text_are_amounts_in_frames_and_files(tmp_path: Path) -> None:
    values = RNG.lognormal(9, 1, N)
    texts = {name: [*map(form, values)] for name, form in AMOUNTS.items()}
    frame = pd.DataFrame({"sex": RNG.choice(["f", "m"], N), **texts})
    path = tmp_path / "firms.csv"
    frame.to_csv(path, index=False, sep="|")
    for found in (protect(frame, shuffle_seed=1), protect(path, shuffle_seed=1)):
        assert {*AMOUNTS} <= {*found.outcome.plan.quasi_identifiers}
        for name in AMOUNTS:
            assert found.outcome.plan.kinds[name] in ("continuous", "ordinal")
    released = protect(frame, shuffle_seed=1).release
    assert released["worth"].str.fullmatch(r"\$\d+(\.\d+)?[KM]").all()
    assert released["paid"].str.fullmatch(r"[\d.]+,\d\d+ \u20ac").all()
    assert released["height"].str.fullmatch(r"\d+(\.\d+)? cm").all()
    assert released["change"].str.contains("(", regex=False).any()


def test_gaps_refuse_nothing_and_are_counted() -> None:
    found = protect(people())
    assert any(one.topic == "missing" for one in found.outcome.warnings)


def test_the_order_is_drawn_and_a_seed_repeats_it() -> None:
    frame = people()
    first, second = protect(frame, shuffle_seed=4), protect(frame, shuffle_seed=4)
    assert first.release.equals(second.release)
    assert first.plan.order_seed == 4
    plain = first.outcome.release.frame.reset_index(drop=True)
    assert not first.release.equals(plain)
    columns = list(plain)
    both = [
        one.sort_values(columns).reset_index(drop=True)
        for one in (plain, first.release)
    ]
    pd.testing.assert_frame_equal(*both)
    assert protect(frame).plan.order_seed != protect(frame).plan.order_seed


def test_people_with_several_records_are_counted() -> None:
    frame = people()
    frame["patient_id"] = np.repeat(np.arange(N // 4) + 5000, 4)
    found = protect(frame)
    assert found.outcome.n_persons == N // 4
    labels = found.outcome.partition.labels
    assert pd.Series(frame["patient_id"]).groupby(labels).nunique().min() >= 5


def test_people_are_counted_whose_number_has_no_name_for_it() -> None:
    """As `nr` beside a year in a panel, or a subject beside a period."""
    n_people, years = 40, 6
    person = np.repeat(np.arange(n_people) + 17, years)
    frame = pd.DataFrame(
        {
            "nr": RNG.permutation(5000)[:n_people].repeat(years),
            "year": np.tile(np.arange(1980, 1980 + years), n_people),
            "exper": np.tile(np.arange(years), n_people) + person % 9,
            "wage": RNG.lognormal(2, 0.4, n_people * years).round(2),
        }
    )
    found = protect(frame, shuffle_seed=1)
    assert found.outcome.n_persons == n_people
    assert not found.plan.polish  # groups of people are searched for anyway
    assert "nr" not in found.release
    labels = found.outcome.partition.labels
    assert frame["nr"].groupby(labels).nunique().min() >= 5


@pytest.mark.parametrize("name", ["prof", "family", "firm"])
def test_people_are_counted_by_the_word_for_them_alone(name: str) -> None:
    """As courses of a professor, births of a family, or years of a firm."""
    n_people, n_each = 90, 5
    person = np.repeat(np.arange(1, n_people + 1), n_each)
    frame = pd.DataFrame(
        {
            "age": RNG.integers(30, 70, n_people + 1)[person],
            "size": RNG.integers(5, 300, person.size),
            "score": RNG.normal(4, 0.5, person.size).round(1),
            name: person,
        }
    )
    found = protect(frame, shuffle_seed=1)
    assert found.plan.person == (name,)
    assert found.outcome.n_persons == n_people
    assert name not in found.release
    assert any(name in one.columns for one in found.questions)
    labels = found.outcome.partition.labels
    assert frame[name].groupby(labels).nunique().min() >= 5
    # Records that each have a number of somebody of their own are of different people.
    frame["child"] = RNG.permutation(9000)[: person.size]
    found = protect(frame, shuffle_seed=1)
    assert found.outcome.n_persons == 0
    assert not {"child", name} & {*found.release}


def test_codes_of_missing_amounts_are_no_amounts_and_are_counted() -> None:
    frame = people()
    frame.loc[::40, "age"] = 999
    frame.loc[::15, "income"] = -9
    frame["school"] = RNG.choice(["N", *map(str, range(1, 13))], N)
    frame["children"] = RNG.choice([0, 1, 2, 3, 99], N, p=[0.3, 0.3, 0.2, 0.15, 0.05])
    found = protect(frame, shuffle_seed=1)
    assert found.release["age"].max() < 100
    assert found.release["income"].min() > 0
    if "children" in found.release:
        assert {*found.release["children"].dropna()} <= {0, 1, 2, 3}
    said = [one for one in found.questions if "-9" in str(one.asks)]
    count = int((frame == 999).sum().sum() + (frame[["income"]] == -9).sum().sum())
    count += int((frame["children"] == 99).sum())
    assert [f"{count:,}" in str(one.took) for one in said] == [True]
    assert "N" in {*found.table.frame["school"]}


def test_a_code_among_codes_is_one_of_them() -> None:
    frame = people()
    frame["race"] = frame["race"].replace(9, 99)
    found = protect(frame, shuffle_seed=1)
    assert 99 in {*found.release["race"]}


def test_two_columns_of_one_name_are_told_apart() -> None:
    frame = people()[["age", "race", "income"]]
    frame.columns = ["a", "race", "a"]
    assert {"a", "a (2)"} <= {*protect(frame).release}


def test_the_summary_is_json_with_all_that_is_promised() -> None:
    content = json.loads(json.dumps(protect(people()).summary()))
    assert {"roles", "left_out", "questions", "verdict", "information_loss"} <= {
        *content
    }
    assert len(content["verdict"]["lines"]) == 5
    for line in content["verdict"]["lines"]:
        assert {"asks", "colour", "says", "mend"} <= {*line}
        assert (line["mend"] is None) == (line["colour"] == "green")


def test_the_verdict_on_a_single_column_that_loses_too_much_names_no_other() -> None:
    share = [(37 * i) % 101 / 101 for i in range(24)]
    party = ["R" if value > 0.5 else "D" for value in share]
    table = pd.DataFrame({"age": [20.0 + 300 * value**9 for value in share]})
    table["district"] = [f"{p}-{i}" for i, p in enumerate(party)]
    verdict = protect(table, k=11).verdict
    (useful,) = [line for line in verdict.lines if line.id == "useful"]
    assert useful.colour == "red"
    assert useful.mend is not None
    assert str(useful.mend.says).startswith("Take a smaller k")


def test_fewer_records_than_k_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="fewer than k"):
        protect(people().head(4))


def test_a_file_of_names_alone_is_refused() -> None:
    with pytest.raises(EngineError, match="Nothing is left to protect"):
        protect(people()[["rownames", "name"]])


def test_every_column_is_decided() -> None:
    settled = decide_all_roles(read_table(people()), 5)
    assert not settled.table.schema.with_role(Role.UNDECIDED)
    assert any("age" not in one.columns for one in settled.questions)


def test_it_is_in_the_package() -> None:
    assert engine.protect is protect


def test_a_column_that_is_named_for_people_does_not_leave() -> None:
    """Whatever its values look like, and whether there are enough of them."""
    frame = pd.DataFrame(
        {
            "who": np.arange(N) % 20,
            "age": RNG.integers(18, 90, N),
            "pay": RNG.integers(0, 50, N),
        }
    )
    found = protect(frame, person="who")
    assert found.plan.person == ("who",)
    assert "who" not in found.release
    with pytest.raises(InfeasibleError, match="2 people, k = 5"):
        protect(frame.assign(who=np.arange(N) % 2), person="who")
    both = protect(frame.assign(ward=np.arange(N) % 20 // 5), person=["ward", "who"])
    assert both.plan.person == ("ward", "who")
    assert both.outcome.n_persons == 20
    assert {*both.release} == {"age", "pay"}
    assert {"ward", "who"} <= {one.column for one in both.left_out}
    few = frame.assign(ward=0, who=np.arange(N) % 2)
    with pytest.raises(InfeasibleError, match="the persons of 'ward' and 'who'"):
        protect(few, person=("ward", "who"))
    visits = frame.assign(patient=np.arange(N) % 4, visit=np.arange(N) // 4)
    with pytest.raises(InfeasibleError, match=r"4 people, k = 5: .* of 'patient'"):
        protect(visits.drop(columns="who"))
    visits = visits.drop(columns="who")
    with pytest.raises(InfeasibleError, match=r"4 people, k = 5: .* of 'patient_id'"):
        protect(visits.drop(columns="visit").rename(columns={"patient": "patient_id"}))
    assert protect(visits, person="none").release is not None


def test_of_a_long_questionnaire_a_useful_part_leaves_and_it_is_said() -> None:
    rng = np.random.default_rng(3)
    mood = rng.normal(size=(400, 6))
    items = {
        f"q{j}": np.clip(
            np.round(3 + 0.7 * mood[:, j % 6] + rng.normal(size=400)), 1, 5
        )
        for j in range(60)
    }
    found = protect(pd.DataFrame(items).astype(int))
    assert found.verdict.colour == "amber"
    leave, gone = {*found.release}, {one.column for one in found.left_out}
    assert leave
    assert leave | gone == {*items}
    first, last = found.questions
    assert {*first.columns} == leave  # of the others it is not said what is not so
    assert {*last.columns} == gone


def test_nobody_is_asked_whether_a_postcode_is_a_person() -> None:
    frame = people().drop(columns=["name", "notes"])
    frame["zip_code"] = [f"{100 + j % 60}xx" for j in range(N)]
    assert "zip_code" not in protect(frame).verdict.line("found").says


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
    left_out = {one.column: str(one.why) for one in protected.left_out}
    # A total leaves unless its parts tell each other.
    assert left_out.keys() == (
        {"sum", "all"} & {*columns} if "net" in columns else set()
    )
    if "all" in columns:
        assert left_out["all"] == "It follows from net, tax and c, which leave."
    for total, parts in totals.items():
        if total not in left_out:
            wrong = released[total] - released[list(parts)].sum(axis=1)
            assert (wrong.abs() < 1e-9).all()
    if "k" in columns:
        assert np.allclose(released["k"] * 1000, released["sum"])


def test_totals_of_confidential_amounts_that_no_rule_binds_are_left_out() -> None:
    rng = np.random.default_rng(9)
    wage, bonus = rng.integers([900, 10], [5_000, 900], (200, 2)).T
    frame = pd.DataFrame({"age": rng.integers(18, 66, 200), "Base salary": wage})
    frame = frame.assign(**{"Bonus": bonus, "Total salary": wage + bonus})
    protected = protect(frame, k=5)
    assert "Total salary" not in protected.release
    asked = [name for one in protected.questions for name in one.columns]
    assert "Total salary" not in asked


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
        found = protect(frame, k=5, shuffle_seed=1)
        assert {*frame} - {*found.release} == {"b" if is_led else "all"}


def test_columns_follow_codes_that_look_like_missing_ones() -> None:
    rng = np.random.default_rng(3)
    year = np.repeat([1, 2, 99], 200)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 600), "wave": year})
    frame["label"] = frame["wave"].map({1: "first", 2: "second", 99: "last"})
    found = protect(frame, k=5, shuffle_seed=1).release
    pairs = {*zip(found["wave"], found["label"], strict=True)}
    assert pairs <= {(1, "first"), (2, "second"), (99, "last")}


def test_what_followed_a_column_that_is_left_out_still_tells_of_one_place() -> None:
    rng = np.random.default_rng(2)
    town = rng.integers(0, 72, N)
    frame = pd.DataFrame(
        {
            "state": np.array(["north", "south", "west"])[town // 24],
            "municipality": [f"town {one}" for one in town],
            "district": [f"district {one}" for one in town // 4],
            **{name: rng.choice(["no", "yes"], N) for name in ("a", "b", "c", "d")},
        }
    )
    protected = protect(frame)
    assert "municipality" not in protected.release
    places = frame[["state", "district"]].drop_duplicates()
    released = protected.release[["state", "district"]].drop_duplicates()
    assert len(released.merge(places)) == len(released)
    (asked,) = (one for one in protected.questions if one.about == "same")
    assert asked.columns == ("state",)


def test_what_says_the_same_as_a_total_leaves_only_beside_it() -> None:
    columns, _ = _totals("a balance")
    frame = pd.DataFrame({**columns, "k": columns["sum"] / 1000})
    settled = decide_all_roles(read_table(frame), 5)
    assert settled.rules == ("a + b = sum", "e + d = sum")
    left_out = leave_out_columns(settled, {"sum": COSTLY})
    why = "It follows from a and b, which leave."
    assert {one.column: str(one.why) for one in left_out.left_out} == {
        "sum": str(COSTLY),
        "same": why,
        "k": why,
    }
    assert left_out.rules == ()


def test_categories_of_columns_that_follow_each_other_need_not_be_the_same() -> None:
    town = RNG.integers(0, 60, 2000)
    frame = pd.DataFrame(
        {
            "town": pd.Categorical([f"t{number}" for number in town]),
            "state": pd.Categorical([f"s{number // 20}" for number in town]),
            "age": RNG.integers(18, 80, 2000),
        }
    )
    released = protect(frame).release
    assert set(zip(released["town"], released["state"], strict=True)) <= set(
        zip(frame["town"], frame["state"], strict=True)
    )


def test_a_column_that_all_others_follow_can_be_left_out() -> None:
    """It spoils most: a few amounts are far above the others."""
    rng = np.random.default_rng(4)
    amount = np.append(rng.integers(0, 1000, N - 3), [10**9, 10**10, 10**11])
    half = np.where(amount < 500, "low", "high")
    settled = decide_all_roles(read_table(pd.DataFrame({"x": amount, "half": half})), 5)
    assert settled.table.schema.followers == {"half": "x"}
    protected = protect(pd.DataFrame({"x": amount, "half": half}))
    assert [one.column for one in protected.left_out] == ["x"]
    assert [*protected.release] == ["half"]


def test_missing_codes_of_a_confidential_column_are_read_if_it_is_protected() -> None:
    rng = np.random.default_rng(6)
    ward, more = rng.integers(0, 6, 1200), rng.choice([0, 10, 20, 30], 1200)
    wage = np.where(rng.random(1200) < 0.03, -9, 1000 * (ward + 1) + more)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 1200), "salary": wage})
    settled = decide_all_roles(read_table(frame), 5)
    assert settled.table.schema["salary"].role is Role.CONFIDENTIAL
    assert (settled.table.frame["salary"] == -9).any()  # it leaves as it is
    guessed = protect_confidential_columns(settled, ["salary"], "guessed", 5)
    assert (guessed.table.frame["salary"].isna() == (wage == -9)).all()
    (asked,) = (one for one in guessed.questions if one.about == "read-codes")
    assert asked.columns == ("salary",)
    protected = protect(frame.assign(band=pd.Series(ward).map("band {}".format)), k=5)
    assert {"salary", "band"} <= {*protected.plan.quasi_identifiers}
    assert protected.release["salary"].dropna().between(1000, 6030).all()


@pytest.mark.parametrize("known", ["trt", "arm"])
def test_a_confidential_column_leaves_only_as_what_says_the_same(known: str) -> None:
    """Where its code, or a class of it, may be known, it is protected with these."""
    treatment = RNG.choice(["placebo", "low dose", "high dose", "none"], 600)
    codes = {"placebo": 0, "low dose": 1, "high dose": 2, "none": 3}
    trt = pd.Series(treatment).map(codes)
    columns = {"trt": trt, "arm": trt // 2}
    frame = pd.DataFrame(
        {
            "age": RNG.integers(18, 80, 600),
            "treatment": treatment,
            known: columns[known],
        }
    )
    settled = decide_all_roles(read_table(frame), 5)
    schema = settled.table.schema
    roles = {schema[name].role for name in ("treatment", known)}
    assert roles == {Role.QUASI_IDENTIFIER}
    (asked,) = (one.columns for one in settled.questions if one.about == "exposing")
    assert asked == ("treatment",)
    released = protect(frame).release
    pairs = released[["treatment", known]].drop_duplicates()
    assert len(pairs.merge(frame[["treatment", known]].drop_duplicates())) == len(pairs)


@pytest.mark.parametrize("known", ["age", "x"])
def test_confidential_amounts_leave_only_if_no_protected_one_follows(
    known: str,
) -> None:
    gross, tax = RNG.choice([100, 150, 230, 310], (2, 600)) * [[10], [1]]
    shares = {"hiv gross": gross, "hiv net": gross - tax, known: tax}
    frame = pd.DataFrame({**shares, "height": RNG.integers(150, 200, 600)})
    settled = decide_all_roles(read_table(frame), 5)
    schema = settled.table.schema
    assert {schema[name].role for name in shares} == {Role.QUASI_IDENTIFIER}
    assert not schema.exposing_columns
    (asked,) = (one for one in settled.questions if one.about == "exposing")
    assert {*asked.columns} == {"hiv gross", "hiv net"}


def survey_weighted_by_region(weights: str) -> pd.DataFrame:
    """Return a survey in which each region has a weight of its own."""
    rng = np.random.default_rng(3)
    by_region = pd.Series(
        {"north": 1520.5, "south": 980.25, "east": 733.1, "west": 41.7}
    )
    region = rng.choice(by_region.index, 600, p=[0.4, 0.3, 0.2, 0.1])
    return pd.DataFrame(
        {
            "region": region,
            "age": rng.integers(18, 90, 600),
            "income": rng.lognormal(10, 0.6, 600).round(),
            weights: by_region[region].to_numpy(),
        }
    )


def test_weights_that_tell_a_protected_region_are_averaged_in_groups() -> None:
    frame = survey_weighted_by_region("survey_weight")
    done = protect(frame, k=5)
    released = done.release["survey_weight"]
    plan = done.outcome.plan
    assert plan.weights is None
    assert "survey_weight" in plan.quasi_identifiers
    groups = pd.Series(done.outcome.partition.labels)
    means = frame["survey_weight"].groupby(groups).transform("mean")
    np.testing.assert_allclose(np.sort(released), np.sort(means))
    assert released.sum() == pytest.approx(frame["survey_weight"].sum())
    assert smallest_class_size(done.release, plan.quasi_identifiers) >= 5


def test_weights_that_tell_nothing_leave_as_they_are() -> None:
    frame = survey_weighted_by_region("survey_weight")
    rng = np.random.default_rng(4)
    frame["survey_weight"] = rng.choice(frame["survey_weight"].unique(), len(frame))
    done = protect(frame, k=5)
    assert done.outcome.plan.weights == "survey_weight"
    released = np.sort(done.release["survey_weight"])
    np.testing.assert_array_equal(released, np.sort(frame["survey_weight"]))


def test_what_may_be_weights_and_has_few_values_is_protected_and_not_left_out() -> None:
    frame = survey_weighted_by_region("weight")
    done = protect(frame, k=5)
    assert not done.left_out
    assert smallest_class_size(done.release, [*done.release]) >= 5


def test_exact_values_are_counted_by_people_who_have_them() -> None:
    rng = np.random.default_rng(2)
    visits, people = 12, 60
    person = np.repeat(np.arange(people), visits)
    frame = pd.DataFrame(
        {
            "patient_id": [f"P{i:04d}" for i in 7 * person + 1000],
            "age": rng.integers(20, 80, people)[person],
            "pressure": rng.normal(120, 15, person.size).round(),
            "sampling_weight": rng.permutation(people)[person] // 2 + 1.5,
            "diagnosis": [f"D{i}" for i in rng.permutation(people)[person] // 2],
            "treatment": rng.choice(["a", "b"], person.size),
        }
    )
    done = protect(frame, k=5)
    assert done.outcome.plan.person == ("patient_id",)
    # of two people each: by records every value is frequent
    assert "sampling_weight" not in done.release
    assert "diagnosis" in {*done.outcome.plan.quasi_identifiers} | {
        one.column for one in done.left_out
    }
    exact = protect(frame.drop(columns="patient_id"), k=5, person="none")
    assert "sampling_weight" in exact.release


def test_what_tells_of_a_column_protected_for_few_people_is_protected_too() -> None:
    rng = np.random.default_rng(5)
    people, visits = 300, 8
    person = np.repeat(np.arange(people), visits)
    # of 15 diagnoses two are those of 3 people each, who have 24 records
    code = np.minimum(rng.permutation(people) // 22, 12)
    code[:3], code[3:6] = 13, 14
    code = code[person]
    frame = pd.DataFrame(
        {
            "patient_id": [f"P{i:04d}" for i in 7 * person + 1000],
            "age": rng.integers(20, 80, people)[person],
            "weight_kg": rng.normal(75, 12, person.size).round(1),
            "diagnosis": [f"D{i:02d}" for i in code],
            "diagnosis_chapter": [f"C{i // 5}" for i in code],
        }
    )
    done = protect(frame, k=5)
    schema = done.table.schema
    assert schema["diagnosis_chapter"].follows == ("diagnosis",)
    assert {"diagnosis", "diagnosis_chapter"} <= {*schema.quasi_identifiers}
    assert not schema.exposing_columns


@pytest.mark.parametrize("end", [np.inf, -np.inf, 1.7e308])
def test_a_scale_without_end_keeps_it_and_nothing_is_made_up(
    end: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(7)
    upto = rng.choice([5.0, 10.0, 20.0, end], N)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "upto": upto,
            "ratio": np.where(upto == end, end, rng.lognormal(0, 1, N).round(3)),
            "all": end,
        }
    )
    path = tmp_path / "ends.csv"
    frame.to_csv(path, index=False)
    for found in (protect(frame, k=5), protect(path, k=5)):
        assert {"upto", "ratio"} <= {*found.outcome.plan.quasi_identifiers}
        for name in ("upto", "ratio"):
            assert end in {*found.release[name]} <= {*frame[name]}
        asked = [one for one in found.questions if "ratio" in one.columns]
        assert [*map(str, (one.took for one in asked))] == [
            "Kept as its end: nothing that the file does not have is made up."
        ]
        classes = [*found.outcome.plan.quasi_identifiers]
        assert smallest_class_size(found.release, classes) >= 5
    # Who names the columns of a run is exact about them.
    table = read_table(path)
    named = engine.Plan(k=5, quasi_identifiers=("age", "ratio"))
    with pytest.raises(EngineError, match=r"'ratio' (has|holds)"):
        engine.run(named, table)
    ordinal = named.replace(kinds={"ratio": Kind.ORDINAL})
    assert end in {*engine.run(ordinal, table).release.frame["ratio"]}


def test_diagnoses_leave_as_they_are_though_hardly_k_records_share_one() -> None:
    rng = np.random.default_rng(9)
    n = 600
    codes = np.array([f"{a}{i:02d}.{i % 9}" for a in "ABCDEFGHIJKL" for i in range(20)])
    which = np.minimum(rng.geometric(0.02, n) - 1, codes.size - 1)
    frame = pd.DataFrame(
        {
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 20_000, n), "D"),
            "sex": rng.choice(["f", "m"], n),
            "Hauptdiagnose": codes[which],
            "plain": [code.replace(".", "") for code in codes[which]],
            "in words": [f"disease of the organ {i}, unspecified" for i in which],
        }
    )
    diagnoses = {"Hauptdiagnose", "plain", "in words"}
    done = protect(frame, k=5)
    assert done.outcome.plan.person == "each"
    assert {*done.outcome.plan.confidential} == diagnoses
    assert done.verdict.line("exact").colour == "amber"
    assert {*done.release["Hauptdiagnose"]} == {*frame["Hauptdiagnose"]}
    # the Data page proposes the same
    table = read_table(frame)
    seen, _ = leave_columns_of_many_categories_undecided(
        table, suggest_columns(frame), 5
    )
    assert {*seen.schema.with_role(Role.CONFIDENTIAL)} == diagnoses
    # but texts of which most are single ones may name people
    frame["Hauptdiagnose"] = [f"{one} {i}" for i, one in enumerate(codes[which])]
    frame = frame.drop(columns=["plain", "in words"])
    assert "Hauptdiagnose" not in protect(frame, k=5).release
    table = read_table(frame)
    seen, _ = leave_columns_of_many_categories_undecided(
        table, suggest_columns(frame), 5
    )
    assert seen.schema["Hauptdiagnose"].singles_out


def test_who_records_are_about_is_looked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = []
    find = persons._find_person
    monkeypatch.setattr(
        persons, "_find_person", lambda table: looked.append(table) or find(table)
    )
    frame = people()
    frame["patient_id"] = np.repeat(np.arange(1000, 1000 + N // 4), 4)
    assert protect(frame).outcome.plan.person == ("patient_id",)
    assert len(looked) == 1


def test_of_a_long_questionnaire_those_who_were_asked_leave_with_what_can() -> None:
    rng = np.random.default_rng(3)
    n, n_questions = 300, 45
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "income": rng.lognormal(10, 0.5, n).round(-2),
        }
    )
    answers = rng.integers(1, 6, (n, n_questions))
    frame[[f"q{i}" for i in range(n_questions)]] = answers
    found = protect(frame, shuffle_seed=1)
    assert {"age", "sex", "income"} <= {*found.release}
    assert found.verdict.line("useful").colour == "green"
    assert found.verdict.line("found").colour == "green"
    kept = found.outcome.plan.quasi_identifiers
    out = [one.column for one in found.left_out if one.why == COSTLY]
    assert {*kept} | {*out} == {*frame}
    # As many leave as can: with one more of them too much would be lost.
    roles = {
        **dict.fromkeys(frame, "identifier"),
        **dict.fromkeys([*kept, out[-1]], "quasi-identifier"),
    }
    fuller = protect(read_table(frame, roles=roles), shuffle_seed=1)
    assert fuller.outcome.plan.quasi_identifiers
    assert len(fuller.left_out) == len(out) - 1


def test_roles_that_somebody_stated_are_kept() -> None:
    frame = people()
    stated = {
        "name": "other",
        "age": "identifier",
        "disease": "confidential",
        "race": "quasi-identifier",
    }
    found = protect(read_table(frame, roles=stated), shuffle_seed=1)
    assert {name: found.roles[name] for name in stated} == stated
    assert found.release["name"].nunique() == N  # and that is red, not mended
    assert found.verdict.line("exact").colour == "red"
    assert [one.why for one in found.left_out if one.column == "age"]
    free = protect(read_table(frame), shuffle_seed=1)
    assert free.roles["name"] == "identifier"
    assert free.roles["age"] == "quasi-identifier"


@pytest.mark.parametrize("n_values", [3, 300])
def test_many_weights_are_asked_about_as_weights(n_values: int) -> None:
    """Also where each alone tells nobody apart: all together do."""
    weights = {f"PWGTP{n}": RNG.integers(1, 1 + n_values, N) for n in range(1, 21)}
    frame = people()[["age", "race"]].assign(PWGTP=RNG.integers(1, 300, N), **weights)
    found = protect(frame)
    asked = {name: one.about for one in found.questions for name in one.columns}
    assert {asked[name] for name in weights} == {"weight"}
    assert not {*weights} & {*found.release}


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
    one, other = pd.Series(low), pd.Series(low + more)
    if kinds[0] == "date":
        day = pd.Timestamp("2020-01-01")
        one, other = (day + pd.to_timedelta(each, "D") for each in (one, other))
    return one, other.mask(rng.random(N) < 0.03) if "gaps" in kinds[1] else other


@pytest.mark.parametrize("rule", ORDERED)
def test_a_column_stays_at_most_as_high_as_another_one(rule: str) -> None:
    low, high = rule.replace("`", "").split(" <= ")
    n_broken = 0
    for seed in range(4):
        one, other = ordered_columns(ORDERED[rule], seed)
        frame = people()[["age", "race"]].assign(**{low: one, high: other})
        settled = decide_all_roles(read_table(frame), 5)
        if ORDERED[rule][0] == "rank":  # whose median is above some means
            kinds = {low: Kind.ORDINAL, high: Kind.CONTINUOUS}
            table = settled.table.assign(kinds=kinds)
            settled = leave_out_columns(dataclasses.replace(settled, table=table), {})
        assert settled.rules == (rule,)
        plan = plan_for_settled_table(settled, 5)
        release = run(plan, settled.table).release.frame
        assert not (release[low] > release[high]).any()
        assert {*release[low].dropna()} <= {*one} or ORDERED[rule][0] != "rank"
        unbound = run(plan.replace(constraints=()), settled.table).release.frame
        n_broken += int((unbound[low] > unbound[high]).sum())
    assert n_broken > 0


def test_what_is_never_above_another_by_accident_is_no_rule() -> None:
    frame = people()[["age", "income"]].assign(
        rooms=RNG.integers(1, 6, N),
        seats=RNG.integers(2, 9, N),
        score=RNG.normal(50, 10, N).round(1),
    )
    assert decide_all_roles(read_table(frame), 5).rules == ()


def test_no_product_or_quotient_contradicts_its_factors() -> None:
    frame = people()[["age", "race"]].assign(
        urban=RNG.integers(0, 2, N),
        educ=RNG.integers(0, 20, N),
        weight=RNG.normal(75, 12, N).round(1),
        height=RNG.normal(172, 9, N).round(),
    )
    frame["urb_educ"] = frame["urban"] * frame["educ"]
    frame["bmi"] = (1e4 * frame["weight"] / frame["height"] ** 2).round(1)
    found = protect(frame)
    assert {"urban", "educ", "weight", "height"} <= {*found.release}
    why = {one.column: str(one.why) for one in found.left_out}
    assert why["urb_educ"] == "It follows from educ and urban, which leave."
    assert why["bmi"] == "It follows from weight and height, which leave."
