"""Whole numbers are amounts, ranks or codes; in doubt nothing is made up."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Kind, Role
from engine.data.propose import suggest_columns
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan

N = 600
RNG = np.random.default_rng(35)
FEW = RNG.integers(1, 7, N)
FLAG = RNG.integers(0, 2, N)
CODES = RNG.choice([170, 490, 3895, 6470, 7390, 7860, 8191, 8680, 9870], N)
MANY_CODES = RNG.choice(RNG.choice(np.arange(1000, 9999), 60, replace=False), N)
AGES = RNG.normal(45, 15, N).clip(18, 90).round().astype(int)
MONEY = (RNG.lognormal(10, 0.7, N) / 100).round().astype(int) * 100


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("race", FEW, Kind.NOMINAL),
        ("RAC1P", FEW, Kind.NOMINAL),
        ("q17", FEW, Kind.NOMINAL),
        ("smoker", FLAG, Kind.NOMINAL),
        ("INDP", CODES, Kind.NOMINAL),
        ("naics", MANY_CODES, Kind.NOMINAL),
        ("v12", MANY_CODES, Kind.NOMINAL),
        ("children", FEW, Kind.ORDINAL),
        ("rooms", FEW, Kind.ORDINAL),
        ("number_of_visits", FEW, Kind.ORDINAL),
        ("year", RNG.choice([1952, 1957, 1962, 1967], N), Kind.ORDINAL),
        ("age", AGES, Kind.CONTINUOUS),
        ("x1", AGES, Kind.CONTINUOUS),
        ("x2", MONEY, Kind.CONTINUOUS),
        ("pop", RNG.integers(100, 10**7, N), Kind.CONTINUOUS),
        ("Krankheitstage 2024", FEW, Kind.ORDINAL),
        ("marital", FEW, Kind.NOMINAL),
        ("wage76", MANY_CODES, Kind.CONTINUOUS),
        ("race2", FEW, Kind.NOMINAL),
        ("area", RNG.permutation(np.arange(700, 700 + 9 * N, 9)), Kind.CONTINUOUS),
        ("county", RNG.permutation(np.arange(1001, 1001 + 90 * N, 90)), Kind.NOMINAL),
        ("ccs", np.r_[FEW[1:], FEW.mean()], Kind.NOMINAL),  # a gap that a mean fills
        ("rating", RNG.choice([0.0, 0.5, 1.0, 2.0], N), Kind.ORDINAL),
        ("dose", RNG.choice([0.0, 0.25, 1.0, 2.0], N), Kind.ORDINAL),
        ("clerical", RNG.choice([0.0, 0.18, 1.0], N), Kind.NOMINAL),  # many gaps filled
        ("level", np.r_[RNG.choice([0.5, 1.0, 3.0], N - 1), np.inf], Kind.ORDINAL),
        ("grade", RNG.integers(1, 100, N) / 2, Kind.CONTINUOUS),
    ],
)
def test_what_a_column_of_whole_numbers_is(name: str, values: Any, kind: Kind) -> None:
    (suggestion,) = suggest_columns(pd.DataFrame({name: values}))
    assert suggestion.column.kind is kind


def test_columns_with_the_same_answers_are_a_scale() -> None:
    frame = pd.DataFrame({f"item{j}": RNG.integers(1, 6, N) for j in range(4)})
    assert {suggestion.column.kind for suggestion in suggest_columns(frame)} == {
        Kind.ORDINAL
    }


def test_whoever_names_a_code_in_a_plan_means_it_as_numbers() -> None:
    table = read_table(pd.DataFrame({"q17": FEW, "x": MONEY}))
    assert table.schema["q17"].kind is Kind.NOMINAL
    plan = Plan(quasi_identifiers=("q17", "x"), k=3)
    assert resolve_plan(plan, table).kinds["q17"] is Kind.ORDINAL


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rownames", [f"country {i}" for i in range(N)]),
        ("rownames", RNG.permutation(N) * 2 + 5),
        ("Unnamed: 0", np.arange(N) + 1),
        ("X", RNG.permutation(N)),
        ("rank", np.arange(N) + 1),
        ("age", np.arange(N)),
    ],
)
def test_row_names_do_not_leave(name: str, values: Any) -> None:
    (suggestion,) = suggest_columns(pd.DataFrame({name: values}))
    assert suggestion.column.role is Role.IDENTIFIER


def test_numbers_that_several_records_have_in_a_row_number_something() -> None:
    values = np.repeat(3000 + RNG.permutation(150) * 7, 4)
    (suggestion,) = suggest_columns(pd.DataFrame({"respond": values}))
    assert suggestion.singles_out


@pytest.mark.parametrize("name", ["Year", "jahr", "Total Snaps"])
def test_years_and_amounts_that_a_file_is_sorted_by_name_nobody(name: str) -> None:
    values = np.repeat(np.arange(1700, 1700 + N // 6), 6)
    (suggestion,) = suggest_columns(pd.DataFrame({name: values}))
    assert not suggestion.singles_out


@pytest.mark.parametrize(
    "values",
    [
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov"],
        ["South Atlantic", "Middle Atlantic", "West South Central", "Pacific"],
        ["Best actress", "Best actor", "Best director"],
        ["Green", "Brown", "Blue", "Hazel"],
        ["Asia", "Europe", "Africa", "Americas"],
    ],
)
def test_classes_whose_words_are_names_too_are_no_people(values: list[str]) -> None:
    (suggestion,) = suggest_columns(pd.DataFrame({"v": RNG.choice(values, N)}))
    assert suggestion.column.role is not Role.IDENTIFIER


def test_sizes_of_bags_are_no_firms() -> None:
    (suggestion,) = suggest_columns(
        pd.DataFrame({"bag": RNG.choice(["60 kg", "1 kg", "30 kg"], N)})
    )
    assert suggestion.column.role is not Role.IDENTIFIER


def test_numbers_of_courses_are_codes() -> None:
    courses = np.random.default_rng(2).choice([110, 114, 117, 120, 121, 210, 250], 400)
    frame = pd.DataFrame({"course": courses, "y": np.arange(400.0) ** 2})
    assert suggest_columns(frame)[0].column.kind is Kind.NOMINAL
