"""Columns are proposed what a data protector would make of them."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Kind, Role
from engine.data.propose import suggest_columns, suggest_schema
from engine.data.propose.persons import propose_person
from engine.files import read_table
from tests.engine.data.propose.columns import (
    CONTINUOUS,
    DATES,
    DISTINCT,
    FEW,
    IDENTIFIER,
    MANY,
    NOMINAL,
    ORDINAL,
    OTHER,
    QUASI,
    REALS,
    RNG,
    SECRET,
    UNDECIDED,
    WORDS,
    N,
    propose,
)


@pytest.mark.parametrize(
    ("name", "values", "kind", "role"),
    [
        ("patient_id", DISTINCT, NOMINAL, IDENTIFIER),
        ("PatientID", MANY, NOMINAL, IDENTIFIER),
        ("patientid", MANY, NOMINAL, IDENTIFIER),
        ("Surname", [f"n{i % 40}" for i in range(N)], NOMINAL, IDENTIFIER),
        ("Vorname", [f"n{i % 40}" for i in range(N)], NOMINAL, IDENTIFIER),
        ("prénom", [f"n{i % 40}" for i in range(N)], NOMINAL, IDENTIFIER),
        ("name", DISTINCT, NOMINAL, IDENTIFIER),
        # Two of five may be names of people: the column is called so.
        (
            "name",
            ["Berlin", "Hamburg", "Bremen", "Rostock", "Kiel"],
            NOMINAL,
            IDENTIFIER,
        ),
        ("contact", [f"a{i % 9}@example.org" for i in range(N)], NOMINAL, IDENTIFIER),
        ("reach", [f"+31 20 {i:07d}" for i in range(N)], NOMINAL, IDENTIFIER),
        ("ssn", DISTINCT, NOMINAL, IDENTIFIER),
        ("Kundennummer", list(range(500, 1700, 20)), NOMINAL, IDENTIFIER),
        ("row", range(1, N + 1), NOMINAL, IDENTIFIER),
        ("x", RNG.permutation(N), NOMINAL, IDENTIFIER),
        ("speed", range(40, 40 + N), CONTINUOUS, QUASI),
        ("estimated number", RNG.permutation(N) + 9, CONTINUOUS, QUASI),
        ("married", np.arange(3 * N) % 82 + 40, CONTINUOUS, QUASI),
        ("drive", ["4-Wheel Drive", "Part-time 4-Wheel Drive"] * N, NOMINAL, UNDECIDED),
        ("neighborhood", ["Albany Park", "Kenwood", "Dunning"] * N, NOMINAL, QUASI),
        ("code", [10_000_000 + 7 * i for i in range(N)], NOMINAL, IDENTIFIER),
        ("remarks", DISTINCT, NOMINAL, IDENTIFIER),
        ("age", MANY, CONTINUOUS, QUASI),
        ("leeftijd", MANY, CONTINUOUS, QUASI),
        ("turnover", REALS, CONTINUOUS, QUASI),
        ("number of employees", MANY, CONTINUOUS, QUASI),
        ("household income", REALS, CONTINUOUS, QUASI),
        ("children", FEW, ORDINAL, QUASI),
        ("education", FEW, ORDINAL, QUASI),
        ("diagnosis", WORDS, NOMINAL, SECRET),
        ("disease", WORDS, NOMINAL, SECRET),
        ("Religion", WORDS, NOMINAL, SECRET),
        ("religion", FEW, NOMINAL, SECRET),
        ("salary", REALS, CONTINUOUS, SECRET),
        ("hiv", [True, False] * (N // 2), NOMINAL, SECRET),
        ("sex", WORDS, NOMINAL, QUASI),
        ("sex", FEW, NOMINAL, QUASI),
        ("region", WORDS, NOMINAL, QUASI),
        ("region_id", FEW, NOMINAL, QUASI),
        ("postcode", [f"0{i % 9}12" for i in range(N)], NOMINAL, QUASI),
        ("PLZ", MANY, NOMINAL, QUASI),
        ("birth date", DATES, ORDINAL, QUASI),
        ("has_phone", [True, False] * (N // 2), NOMINAL, UNDECIDED),
        ("grade", FEW, ORDINAL, SECRET),
        ("colour", WORDS, NOMINAL, UNDECIDED),
        ("share", REALS, CONTINUOUS, QUASI),
        ("empty", [None] * N, NOMINAL, OTHER),
        ("constant", [5] * N, ORDINAL, OTHER),
        ("constant", ["a"] * N, NOMINAL, OTHER),
    ],
)
def test_kind_and_role(name: str, values: Any, kind: Kind, role: Role) -> None:
    column = propose(name, values).column
    assert (column.kind, column.role) == (kind, role)


def test_numbers_without_hints_are_quasi_identifiers() -> None:
    frame = pd.DataFrame(RNG.normal(size=(N, 5)), columns=list("abcde"))
    assert suggest_schema(frame).quasi_identifiers == tuple("abcde")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("percentage", WORDS),
        ("estate", WORDS),
        ("usage", WORDS),
        ("covid", WORDS),
        ("automobile", WORDS),
    ],
)
def test_parts_of_words_are_no_hints(name: str, values: Any) -> None:
    assert propose(name, values).column.role is UNDECIDED


@pytest.mark.parametrize(
    ("name", "values"),
    [("sex", WORDS), ("region", WORDS), ("zip", MANY), ("visit", DATES)],
)
def test_categories_and_dates_may_help_to_recognise(name: str, values: Any) -> None:
    suggestion = propose(name, values)
    assert suggestion.column.role is QUASI
    assert "recognise" in suggestion.reason


def test_remarks_that_come_again_are_free_text() -> None:
    remarks = ["my boss is the problem", "please call me back", "all was fine with me"]
    assert propose("comment", np.resize(remarks, N)).column.role is Role.IDENTIFIER
    assert propose("notes", np.resize(["low", "high"], N)).about != "free-text"


def test_every_reason_is_a_sentence_without_values() -> None:
    for name, values in (("who", DISTINCT), ("x", REALS), ("sex", WORDS)):
        reason = propose(name, values).reason
        assert reason[0].isupper()
        assert reason.endswith(".")
        assert not any(str(value) in reason for value in values)


def test_missing_values_do_not_change_a_proposal() -> None:
    values = pd.Series(MANY, dtype="Int64")
    values[::5] = pd.NA
    assert propose("age", values).column == propose("age", MANY).column


def test_large_tables_are_judged_whole() -> None:
    n = 50_000
    last_twice = np.arange(n) * 3
    last_twice[-1] = last_twice[-2]
    assert propose("nr", np.arange(n) * 3).column.role is IDENTIFIER
    assert propose("nr", last_twice).column.role is IDENTIFIER
    assert propose("nr", np.arange(n) * 3).confidence > 0.9
    assert propose("nr", last_twice).confidence < 0.9
    rare = np.repeat([1, 2], n // 2)
    rare[-100:] = np.arange(100)
    assert propose("x", rare).column.kind is CONTINUOUS


def test_ordered_categories_are_ordinal() -> None:
    values = pd.Categorical(["low", "high"] * 30, ["low", "high"], ordered=True)
    assert propose("level", values).column.kind is ORDINAL


def test_columns_keep_their_order() -> None:
    frame = pd.DataFrame({"b": REALS, "a": WORDS})
    assert suggest_schema(frame).names == ("b", "a")


@pytest.mark.parametrize(
    "values",
    [
        [datetime.time(1, 2)] * N,
        pd.Series(DATES).dt.tz_localize("UTC"),
        pd.Series(pd.to_timedelta(range(N), unit="s")),
        [1, "a"] * (N // 2),
        pd.Series([None, True] * (N // 2), dtype="boolean"),
        np.array([np.inf] * 30 + [1.5] * 30),
        pd.Categorical(WORDS),
    ],
)
def test_every_type_of_column_gets_a_proposal(values: Any) -> None:
    assert propose("x", values).reason


@pytest.mark.parametrize(
    ("name", "label", "role"),
    [
        ("v17", "Haushaltsnummer", IDENTIFIER),
        ("v18", "Geburtsjahr", QUASI),
        ("v19", "Have you ever been told that you have diabetes?", SECRET),
        ("region", "Name of the interviewer's region", QUASI),
        ("v20", "", UNDECIDED),
    ],
)
def test_labels_of_files_tell_what_names_do_not(
    name: str, label: str, role: Role
) -> None:
    values = [f"x{i % 30}" for i in range(N)] if name in ("v17", "v20") else None
    years = [1950 + i % 40 for i in range(N)] if name == "v18" else None
    frame = pd.DataFrame({name: values or years or FEW})
    (suggestion,) = suggest_columns(frame, {name: label})
    assert suggestion.column.role is role


def test_columns_are_what_the_last_word_of_their_names_says() -> None:
    rng = np.random.default_rng(5)
    n = 600
    states = [a + b for a in "ACKMNTW" for b in "AEIORVY"]
    frame = pd.DataFrame(
        {
            "rownames": [f"{1978 + i // 30}.{1 + i % 30}" for i in range(n)],
            "addr_state": rng.choice(states, n),
            "county_income": rng.lognormal(10.5, 0.3, n).astype(int),
            "county_code": rng.integers(100, 190, n),
            "year": 1790 + np.arange(n) % 600,
            "tax": rng.choice(rng.integers(180, 720, 66), n),
            "ewe": rng.choice(rng.integers(1_000, 7_000, 300), n),
            "federation": rng.choice(["USA", "AMY", "BOB", "TOM", "ANN", "SUE"] * 3, n),
        }
    ).astype({"rownames": "float64"})
    column_by_name = {
        suggestion.column.name: suggestion.column
        for suggestion in suggest_columns(frame)
    }
    assert column_by_name["rownames"].role is IDENTIFIER
    assert column_by_name["addr_state"].role is not IDENTIFIER
    assert column_by_name["county_income"].kind is CONTINUOUS
    assert column_by_name["county_code"].kind is NOMINAL
    assert column_by_name["tax"].kind is CONTINUOUS
    assert column_by_name["ewe"].kind is NOMINAL
    assert not column_by_name["federation"].singles_out


def test_nitric_oxide_is_a_number_of_somebody_only_alone() -> None:
    numbers = np.random.default_rng(6).integers(5, 300, 400)
    air = pd.DataFrame({"NO": numbers, "NO2": numbers[::-1] // 2, "temp": numbers / 7})
    first, *_ = suggest_columns(air)
    assert (first.column.role, first.column.kind) == (QUASI, CONTINUOUS)
    first, *_ = suggest_columns(air[["NO", "temp"]])
    assert first.column.singles_out


def test_numbers_of_the_calendar_are_no_persons_and_may_leave() -> None:
    n = 1000
    frame = pd.DataFrame(
        {
            "arrival_week_number": RNG.integers(1, 54, n),
            "lead_time": RNG.integers(0, 400, n),
            "party": RNG.choice(["a", "b"], n),
        }
    )
    table = read_table(frame)
    assert propose_person(table) is None
    assert not table.schema["arrival_week_number"].singles_out


@pytest.mark.parametrize("name", ["volunteer", "pid"])
def test_few_sorts_of_people_are_no_persons(name: str) -> None:
    frame = pd.DataFrame(
        {name: RNG.integers(0, 3, 500), "age": RNG.integers(18, 90, 500)}
    )
    assert propose_person(read_table(frame)) is None


@pytest.mark.parametrize("name", ["#", "*", " ", "§", "\u200f", ""])
def test_a_name_without_letters_says_nothing_and_stops_nothing(name: str) -> None:
    n = 60
    frames = (
        RNG.integers(0, 50, n),
        np.arange(n),
        RNG.normal(size=n),
        pd.date_range("1960-01-01", periods=n, freq="37D"),
        [f"Ann B{i}" for i in range(n)],
    )
    for values in frames:
        [suggestion, _other] = suggest_columns(pd.DataFrame({name: values, "b": 1}))
        assert suggestion.column.name == name
