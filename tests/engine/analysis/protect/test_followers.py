"""Columns that say the same do not contradict each other, and expose nothing."""

import numpy as np
import pandas as pd
import pytest

from engine.analysis.protect import decide_all_roles, protect
from engine.data.kinds import Role
from engine.files import read_table
from tests.engine.analysis.protect.cases import RNG, N


def test_columns_follow_codes_that_look_like_missing_ones() -> None:
    rng = np.random.default_rng(3)
    year = np.repeat([1, 2, 99], 200)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 600), "wave": year})
    frame["label"] = frame["wave"].map({1: "first", 2: "second", 99: "last"})
    release = protect(frame, k=5, shuffle_seed=1).release
    pairs = {*zip(release["wave"], release["label"], strict=True)}
    assert pairs <= {(1, "first"), (2, "second"), (99, "last")}


def test_what_followed_a_column_that_is_left_out_still_tells_of_one_place() -> None:
    rng = np.random.default_rng(2)
    town = rng.integers(0, 72, N)
    frame = pd.DataFrame(
        {
            "state": np.array(["north", "south", "west"])[town // 24],
            "municipality": [f"town {entry}" for entry in town],
            "district": [f"district {entry}" for entry in town // 4],
            **{name: rng.choice(["no", "yes"], N) for name in ("a", "b", "c", "d")},
        }
    )
    protected = protect(frame)
    assert "municipality" not in protected.release
    places = frame[["state", "district"]].drop_duplicates()
    released = protected.release[["state", "district"]].drop_duplicates()
    assert len(released.merge(places)) == len(released)
    (place_question,) = (
        entry for entry in protected.questions if entry.about == "same"
    )
    assert place_question.columns == ("state",)


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
    role_decisions = decide_all_roles(
        read_table(pd.DataFrame({"x": amount, "half": half})), 5
    )
    assert role_decisions.table.schema.followers == {"half": "x"}
    protected = protect(pd.DataFrame({"x": amount, "half": half}))
    assert [omission.column for omission in protected.left_out] == ["x"]
    assert [*protected.release] == ["half"]


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
    role_decisions = decide_all_roles(read_table(frame), 5)
    schema = role_decisions.table.schema
    roles = {schema[name].role for name in ("treatment", known)}
    assert roles == {Role.QUASI_IDENTIFIER}
    (exposing_names,) = (
        question.columns
        for question in role_decisions.questions
        if question.about == "exposing"
    )
    assert exposing_names == ("treatment",)
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
    role_decisions = decide_all_roles(read_table(frame), 5)
    schema = role_decisions.table.schema
    assert {schema[name].role for name in shares} == {Role.QUASI_IDENTIFIER}
    assert not schema.exposing_columns
    (exposing_question,) = (
        question
        for question in role_decisions.questions
        if question.about == "exposing"
    )
    assert {*exposing_question.columns} == {"hiv gross", "hiv net"}
