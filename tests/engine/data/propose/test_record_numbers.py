"""Numbers that are given to somebody are told from those that are measured."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Kind, Role
from engine.data.propose import suggest_columns
from tests.engine.data.propose.columns import (
    CONTINUOUS,
    IDENTIFIER,
    QUASI,
    RNG,
    UNDECIDED,
    N,
    propose,
)


@pytest.mark.parametrize("name", ["USUBJID", "SUBJID", "PATID", "patient_number"])
@pytest.mark.parametrize("repeats", [1, 4])
def test_numbers_of_subjects_are_no_telephones(name: str, repeats: int) -> None:
    numbers = [f"01-{701 + i % 9}-{1000 + i}" for i in range(N)] * repeats
    suggestion = propose(name, numbers)
    assert suggestion.column.role is IDENTIFIER
    assert suggestion.about == "record-number"
    assert propose("reach", numbers).about == "telephone"


def test_ten_different_numbers_in_ten_records_are_not_steps_of_a_scale() -> None:
    values = [10, 11, 12, 50, 51, 52, 100, 101, 102, 103]
    column = propose("x", values).column
    assert (column.kind, column.role) == (CONTINUOUS, QUASI)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("intnr", [100 + i % 29 for i in range(N)]),
        ("nr_gospodarstwa", [500 + i // 2 for i in range(N)]),
        ("x", [9_000 + i // 3 for i in range(N)]),
        ("code_b", [RNG.integers(400) for _ in range(N)]),
    ],
)
def test_what_numbers_something_is_no_measurement(name: str, values: Any) -> None:
    assert propose(name, values).column.role in (IDENTIFIER, UNDECIDED)


def test_numbers_of_households_are_not_their_sizes() -> None:
    numbers, sizes = [500 + i // 2 for i in range(N)], [1 + i % 6 for i in range(N)]
    for name in ("household number", "número do agregado", "n° foyer", "HH-ID"):
        assert propose(name, numbers).column.role in (IDENTIFIER, UNDECIDED), name
    for name in ("number of children", "household size", "hhgr", "gezinsgrootte"):
        assert propose(name, sizes).column.role is QUASI, name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("card_last4", RNG.permutation(np.linspace(1000, 9999, N).astype(int))),
        ("licenza n.", [int(x) for x in RNG.integers(100, 9999, N)]),
        ("SUBJID", [f"1001-{100 + i}" for i in range(N)]),
    ],
)
def test_numbers_that_are_given_do_not_leave(name: str, values: Any) -> None:
    assert propose(name, values).column.role in (IDENTIFIER, UNDECIDED)


def test_numbers_that_are_measured_are_protected() -> None:
    for values in (RNG.normal(4_000, 900, N), RNG.lognormal(8, 0.5, N)):
        assert propose("x", np.round(values).astype(int)).column.role is QUASI


def test_a_household_alone_is_a_number_where_few_records_share_each() -> None:
    numbers = np.repeat(np.arange(100, 200), 3)
    (suggestion,) = suggest_columns(pd.DataFrame({"household": numbers}))
    assert suggestion.column.role is Role.IDENTIFIER
    # Sorts of households are few, or many records are of each.
    (suggestion,) = suggest_columns(
        pd.DataFrame({"household": np.repeat([110, 120, 210, 220], 75)})
    )
    assert suggestion.column.role is not Role.IDENTIFIER
    (suggestion,) = suggest_columns(
        pd.DataFrame({"household": np.repeat(np.arange(40, 90), 60)})
    )
    assert suggestion.column.role is not Role.IDENTIFIER


@pytest.mark.parametrize(
    "name", ["loan_id", "LoanNumber", "Kreditnummer", "salary_no", "debt_ref"]
)
@pytest.mark.parametrize("sign", ["", "LN"])
def test_numbers_of_what_people_owe_or_earn_are_keys(name: str, sign: str) -> None:
    numbers = np.random.default_rng(1).permutation(500) * 7 + 10_000_000
    column = [f"{sign}{number}" for number in numbers] if sign else numbers
    [suggestion] = suggest_columns(pd.DataFrame({name: column}))
    assert (suggestion.column.role, suggestion.about) == (
        Role.IDENTIFIER,
        "record-number",
    )


def test_years_of_a_series_are_no_numbers_of_rows() -> None:
    assert propose("year", list(range(1800, 1998))).column.role is QUASI
    assert propose("nr", list(range(1800, 1998))).column.role is IDENTIFIER


def test_an_amount_by_which_a_file_is_sorted_is_no_key_but_sorted_keys_are() -> None:
    rng = np.random.default_rng(3)
    n = 600
    amount = np.sort(rng.lognormal(4, 1.2, n).astype(int))
    homes = np.sort(rng.choice(9_000, 300, replace=False))
    firms = (1_000 + np.cumsum(rng.exponential(np.linspace(1, 40, 200)))).astype(int)
    frame = pd.DataFrame(
        {
            "q17": amount,
            "q18": amount[::-1],
            "q19": np.repeat(homes, 2),
            "q20": np.sort(rng.choice(homes, n)),
            "q21": np.repeat(firms, 3),
            "q22": np.sort(rng.choice(firms, n)),
            "q23": np.sort(np.append(rng.integers(0, 250, n - 50), np.arange(50))),
        }
    )
    column_by_name = {
        suggestion.column.name: suggestion.column
        for suggestion in suggest_columns(frame)
    }
    for name in ("q17", "q18"):
        assert column_by_name[name].role is Role.QUASI_IDENTIFIER
        assert not column_by_name[name].singles_out
    for name in ("q19", "q20", "q21", "q22", "q23"):
        assert column_by_name[name].singles_out, name


@pytest.mark.parametrize("spread", [15, 60])
def test_an_amount_that_thins_out_on_both_sides_is_no_key(spread: int) -> None:
    rng = np.random.default_rng(4)
    n = 600
    amount = np.sort(rng.normal(700, spread, n).astype(int))
    waves = np.sort(rng.choice(np.arange(1, 200), n))
    frame = pd.DataFrame({"q1": amount, "q2": amount[::-1], "q3": waves})
    is_singling_out = {
        suggestion.column.name: suggestion.column.singles_out
        for suggestion in suggest_columns(frame)
    }
    assert is_singling_out == {"q1": False, "q2": False, "q3": True}


def test_few_codes_of_letters_are_no_numbers_of_records() -> None:
    leagues = ["AL", "NL", "NN2", "AA", "FL", "UA", "PL", "NA", "EAS", "WES", "IND"]
    assert propose("lgID", leagues * 30).column.role is not IDENTIFIER
    for name in ("id", "playerID"):
        assert propose(name, leagues * 30).column.role is IDENTIFIER
    assert propose("lgID", leagues * 3).column.role is IDENTIFIER
    numbered = [f"AB{number:04}" for number in range(11)]
    assert propose("lgID", numbered * 30).column.role is IDENTIFIER


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("net_migration_rate", np.random.default_rng(1).normal(0, 5, 200).round(2)),
        ("cp_days", np.random.default_rng(1).integers(-200, 900, 200)),
        ("Activity", np.random.default_rng(1).integers(900, 5_000, 200)),
        ("area_ch_1", np.random.default_rng(1).lognormal(5, 0.6, 2_000).astype(int)),
    ],
)
def test_measures_are_no_codes_of_places_or_trades(name: str, values: Any) -> None:
    assert propose(name, values).column.kind is Kind.CONTINUOUS


def test_codes_that_few_records_share_are_ranks_in_doubt() -> None:
    rng = np.random.default_rng(2)
    values = rng.choice(rng.choice(np.arange(1_000, 9_999), 200, replace=False), 700)
    assert propose("q9", values).column.kind is Kind.ORDINAL
    assert propose("naics", values).column.kind is Kind.NOMINAL
    often = np.repeat(values[:100], 12)
    assert propose("q9", often).column.kind is Kind.NOMINAL
    assert propose("outs_pitches", often).column.kind is not Kind.NOMINAL


@pytest.mark.parametrize("name", ["nace", "nace_rev2", "icd9", "isic4"])
def test_codes_with_a_point_inside_are_never_averaged(name: str) -> None:
    codes = np.array([10.11, 25.5, 41.2, 47.11, 47.19, 49.41, 56.1, 62.02, 70.22])
    frame = pd.DataFrame(
        {name: codes[RNG.integers(0, 9, 300)] + RNG.integers(0, 9, 300) / 100}
    )
    [suggestion] = suggest_columns(frame)
    assert suggestion.column.kind is Kind.NOMINAL
