"""Columns are proposed what a data protector would make of them."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import ParameterError
from engine.data.kinds import Kind, Role
from engine.data.propose import (
    Suggestion,
    is_code_column,
    role_warnings,
    suggest_columns,
    suggest_schema,
)
from engine.data.propose.persons import propose_person
from engine.data.schema import Column, Schema
from engine.data.table import Origin, Table
from engine.files import read_table

N = 60
RNG = np.random.default_rng(0)
WORDS = [f"w{i % 7}" for i in range(N)]
DISTINCT = [f"w{i}" for i in range(N)]
FEW = [i % 3 + 1 for i in range(N)]
MANY = RNG.integers(0, 10_000, N).tolist()
REALS = RNG.lognormal(8, 1, N).tolist()
DATES = [pd.Timestamp(2020, 1, 1) + pd.Timedelta(days=i % 9) for i in range(N)]


def propose(name: str, values: Any) -> Suggestion:
    (found,) = suggest_columns(pd.DataFrame({name: values}))
    return found


NOMINAL, ORDINAL, CONTINUOUS = Kind.NOMINAL, Kind.ORDINAL, Kind.CONTINUOUS
IDENTIFIER, QUASI = Role.IDENTIFIER, Role.QUASI_IDENTIFIER
SECRET, OTHER = Role.CONFIDENTIAL, Role.OTHER
UNDECIDED = Role.UNDECIDED


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


@pytest.mark.parametrize("name", ["USUBJID", "SUBJID", "PATID", "patient_number"])
@pytest.mark.parametrize("repeats", [1, 4])
def test_numbers_of_subjects_are_no_telephones(name: str, repeats: int) -> None:
    numbers = [f"01-{701 + i % 9}-{1000 + i}" for i in range(N)] * repeats
    found = propose(name, numbers)
    assert found.column.role is IDENTIFIER
    assert found.about == "record-number"
    assert propose("reach", numbers).about == "telephone"


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
    found = propose(name, values)
    assert found.column.role is QUASI
    assert "recognise" in found.reason


WEIGHTS = (1 + np.round(RNG.lognormal(3, 0.5, N), 3)).tolist()


@pytest.mark.parametrize(
    "name",
    [
        "sample_weight",
        "SurveyWeight",
        "household weight",
        "wgt",
        "fnlwgt",
        "Hochrechnungsfaktor",
        "wegingsfactor",
        "factor_expansion",
        "pondération",
        "peso muestral",
        "w8",
        "finalwt",
        "HHWT",
        "perwt",
        "PWEIGHT2",
        "WTINT2YR",
    ],
)
def test_weights_of_a_survey_are_recognised_by_name_and_values(name: str) -> None:
    assert propose(name, WEIGHTS).column.role is Role.WEIGHT


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weight", WEIGHTS),
        ("Gewicht", WEIGHTS),
        ("peso", WEIGHTS),
        ("birth_weight", WEIGHTS),
        ("weight (kg)", WEIGHTS),
        ("factor", WEIGHTS),
        ("pond", WEIGHTS),
        ("sample_weight", [None, *WEIGHTS[1:]]),
        ("sample_weight", [0.0, *WEIGHTS[1:]]),
        ("sample_weight", [-1.0, *WEIGHTS[1:]]),
        ("sample_weight", [1.0] * N),
        ("sample_weight", WORDS),
    ],
)
def test_no_weight_of_records_is_proposed_without_strong_evidence(
    name: str, values: Any
) -> None:
    assert propose(name, values).column.role is not Role.WEIGHT


BODIES = np.round(RNG.normal(72.0, 12.0, N), 1).tolist()


@pytest.mark.parametrize("name", ["wgt", "WGT2", "w8", "wght"])
@pytest.mark.parametrize("values", [BODIES, np.rint(BODIES).tolist(), WEIGHTS])
def test_what_is_called_a_weight_for_short_is_no_quasi_identifier(
    name: str, values: Any
) -> None:
    found = propose(name, values)
    assert found.about == "weight"
    assert found.column.role is (Role.WEIGHT if values is WEIGHTS else UNDECIDED)


def test_remarks_that_come_again_are_free_text() -> None:
    said = ["my boss is the problem", "please call me back", "all was fine with me"]
    assert propose("comment", np.resize(said, N)).column.role is Role.IDENTIFIER
    assert propose("notes", np.resize(["low", "high"], N)).about != "free-text"


def test_few_whole_numbers_are_codes_and_no_weights() -> None:
    codes = np.resize([1, 2, 3, 4, 5], N).tolist()
    for name in ("wgt", "w8", "weight", "sample_weight"):
        assert propose(name, codes).about != "weight"


def test_only_one_column_is_proposed_to_weigh_records() -> None:
    frame = pd.DataFrame({"x": REALS, "wgt": WEIGHTS, "sample weight": WEIGHTS})
    schema = suggest_schema(frame)
    assert schema.with_role(Role.WEIGHT) == schema.with_role("weight") == ("wgt",)
    with pytest.raises(ParameterError, match="no role called 'wait'"):
        schema.with_role("wait")
    assert schema["sample weight"].role is UNDECIDED


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


def test_ten_different_numbers_in_ten_records_are_not_steps_of_a_scale() -> None:
    values = [10, 11, 12, 50, 51, 52, 100, 101, 102, 103]
    column = propose("x", values).column
    assert (column.kind, column.role) == (CONTINUOUS, QUASI)


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


def test_numbers_that_are_proposed_as_nominal_are_codes() -> None:
    table = table_of(sex=FEW, word=WORDS, x=REALS)
    assert [name for name in table.schema.names if is_code_column(table, name)] == [
        "sex"
    ]
    said = table.assign(kinds={"sex": "nominal"})
    assert not is_code_column(said, "sex")
    assert said.schema == table.schema  # which of them was said is no difference


def table_of(**columns: Any) -> Table:
    return read_table(pd.DataFrame(columns))


def test_an_identifier_left_as_other_is_warned_of() -> None:
    table = table_of(email=DISTINCT, x=REALS)
    assert role_warnings(table) == ()
    (warning,) = role_warnings(table.assign(roles={"email": "other"}))
    assert "'email' looks like an identifier" in warning


def test_a_recognisable_trait_left_as_other_is_warned_of() -> None:
    table = table_of(sex=WORDS, x=REALS)
    assert role_warnings(table) == ()
    (warning,) = role_warnings(table.assign(roles={"sex": "other"}))
    assert "'sex' may help to recognise somebody" in warning
    assert role_warnings(table.assign(roles={"sex": "confidential"})) == ()


def test_a_constant_quasi_identifier_is_warned_of() -> None:
    table = table_of(age=[5] * N, x=REALS)
    (warning,) = role_warnings(table.assign(roles={"age": "quasi-identifier"}))
    assert "'age' is constant" in warning


def test_a_nameless_column_is_told() -> None:
    schema = Schema((Column("column 1", CONTINUOUS, QUASI),))
    origin = Origin("csv", {"nameless": [1]})
    table = Table.from_frame(pd.DataFrame({"column 1": REALS}), schema, origin)
    (warning,) = role_warnings(table)
    assert "Column 1 has no name" in warning


FULL = ["Anna Meier", "Ben Okafor", "Carla Rossi", "Hans Müller"]


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (FULL, IDENTIFIER),
        ([name.upper() for name in FULL], IDENTIFIER),
        ([name.lower() for name in FULL], IDENTIFIER),
        (["Meier, Anna", "Okafor, Ben", "Rossi, Carla"] * 9, IDENTIFIER),
        (["A. Meier", "B. Murphy", "C. Rossi", "H. Müller"] * 9, IDENTIFIER),
        (["Dr. Huber", "Prof. Dr. Mayr"] * 9, IDENTIFIER),
        ([f'("{name}")' for name in FULL], IDENTIFIER),
        (["王伟", "李娜", "张敏", "刘洋"] * 5, UNDECIDED),
        (["red", "blue", "white"] * 9, UNDECIDED),
        (["52.5200, 13.4050", "48.8566, 2.3522"] * 9, QUASI),
        (["none"] * 40 + ["ask hans@example.org"], IDENTIFIER),
        (["none", "+49 171 1234567 call"] * 9, IDENTIFIER),
        (["Meier GmbH", "Okafor Ltd", "Rossi S.p.A."] * 9, IDENTIFIER),
        (["m", "w", "d"] * 9, QUASI),
        (
            ["\\N"] * 400 + [f"She lost {n} laptops in the ward" for n in range(60)],
            IDENTIFIER,
        ),
        (["USA"] * 400 + ["Canada", "Mexico", "Brazil", "Peru"] * 15, UNDECIDED),
    ],
)
def test_values_tell_who_somebody_is_without_any_hint(
    values: list[str], role: Role
) -> None:
    assert propose("v7", values).column.role is role


def test_an_address_is_found_wherever_it_stands_in_a_long_column() -> None:
    values = [f"w{i % 400}" for i in range(50_000)]
    assert propose("v7", values).column.role is UNDECIDED
    values[43_210] = "see anna.meier@example.org"
    assert propose("v7", values).column.role is IDENTIFIER


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
    (found,) = suggest_columns(frame, {name: label})
    assert found.column.role is role


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


def test_weights_that_no_body_has_are_those_of_records() -> None:
    few, many = RNG.gamma(4, 0.4, N), RNG.gamma(4, 200, N)
    bodies = RNG.normal(75.5, 12, N)
    assert propose("wt", few).column.role is Role.WEIGHT
    assert propose("waga", many).column.role is UNDECIDED
    assert propose("waga", bodies).column.role is QUASI


@pytest.mark.parametrize(
    "places",
    [
        ["Goethestr. {}", "Am Markt {}", "Lindenweg {}a"],
        ["{} rue des Lilas", "{} bis avenue Foch"],
        ["Calle Mayor {}", "Avda. de América, {}"],
        ["Via Garibaldi {}", "Corso Italia {}"],
        ["Rua das Flores {}", "Avenida da Liberdade {}"],
        ["Dorpsstraat {}", "Kerklaan {}bis"],
        ["ul. Długa {}", "al. Wolności {}/4"],
        ["{} High Street", "Flat {}, Mill Lane"],
        ["北京市海淀区中关村大街{}号", "体育西路{}号"],
    ],
)
def test_addresses_are_known_by_streets_and_numbers(places: list[str]) -> None:
    found = propose("v4", [places[i % len(places)].format(1 + i) for i in range(N)])
    assert found.column.role is IDENTIFIER
    assert found.about == "address"


def test_plates_are_no_dates() -> None:
    signs = "BDFGHJKLNPRSTVXZ"
    plates = [
        f"{i % 9 + 1}-{signs[i % 16]}{signs[i // 3 % 16]}{signs[i // 5 % 16]}-{10 + i}"
        for i in range(N)
    ]
    assert propose("k2", plates).column.role is IDENTIFIER
    days = [f"{1 + i % 28}-{('Jan', 'Feb', 'Mar')[i % 3]}-{1960 + i}" for i in range(N)]
    assert propose("k2", days).column.role is QUASI


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
    (found,) = suggest_columns(pd.DataFrame({"household": numbers}))
    assert found.column.role is Role.IDENTIFIER
    # Sorts of households are few, or many records are of each.
    (found,) = suggest_columns(
        pd.DataFrame({"household": np.repeat([110, 120, 210, 220], 75)})
    )
    assert found.column.role is not Role.IDENTIFIER
    (found,) = suggest_columns(
        pd.DataFrame({"household": np.repeat(np.arange(40, 90), 60)})
    )
    assert found.column.role is not Role.IDENTIFIER


def test_other_words_for_what_names_somebody_do_not_leave_either() -> None:
    people = [
        f"{given} {family}"
        for given in ("Anna", "Ben", "Carla", "Hans")
        for family in ("Meier", "Okafor", "Rossi", "Huber")
    ]
    person = np.arange(160) % 16
    frame = pd.DataFrame(
        {
            "who": [people[n] for n in person],
            "query": [f"q{7 * n % 16}/all" for n in person],
            "part": [f"q{7 * n % 16 // 2}/all" for n in person],
            "wage": np.random.default_rng(3).normal(size=160),
        }
    )
    roles = {one.column.name: one.column.role for one in suggest_columns(frame)}
    assert roles["who"] is roles["query"] is IDENTIFIER
    assert roles["part"] is not IDENTIFIER
    alone = suggest_columns(frame.drop(columns="who"))
    assert alone[0].column.role is not IDENTIFIER


@pytest.mark.parametrize(
    "name", ["loan_id", "LoanNumber", "Kreditnummer", "salary_no", "debt_ref"]
)
@pytest.mark.parametrize("sign", ["", "LN"])
def test_numbers_of_what_people_owe_or_earn_are_keys(name: str, sign: str) -> None:
    numbers = np.random.default_rng(1).permutation(500) * 7 + 10_000_000
    column = [f"{sign}{one}" for one in numbers] if sign else numbers
    [found] = suggest_columns(pd.DataFrame({name: column}))
    assert (found.column.role, found.about) == (Role.IDENTIFIER, "record-number")


def test_of_an_address_few_states_are_places_and_lines_are_identifiers() -> None:
    states = np.random.default_rng(1).choice(["CA", "NY", "TX", "ND"], 300)
    lines = [f"{number} Main Street" for number in range(300)]
    frame = pd.DataFrame({"addr_state": states, "address_city": lines})
    roles = [one.column.role for one in suggest_columns(frame)]
    assert roles == [Role.QUASI_IDENTIFIER, Role.IDENTIFIER]


def test_what_shares_most_of_its_names_with_a_column_of_names_is_asked_with_it() -> (
    None
):
    given, family = ("Anna", "Karl", "Maria", "Paul"), ("Huber", "Weber", "Schmidt")
    people = [f"{one} {other}" for one in given for other in family]
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "first": rng.choice(people, 120),
            "second": rng.choice(["Jorgeous", people[3], people[7]], 120),
            "third": rng.choice(["Jorgeous", "Zebedee"], 120),
            "answer": rng.choice(["yes", "no", "perhaps"], 120),
        }
    )
    found = {one.column.name: one.column for one in suggest_columns(frame)}
    assert found["first"].role is IDENTIFIER
    assert found["second"].role is not QUASI
    assert found["second"].singles_out or found["second"].role is IDENTIFIER
    assert not found["third"].singles_out
    assert not found["answer"].singles_out


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
    found = {one.column.name: one.column for one in suggest_columns(frame)}
    assert found["rownames"].role is IDENTIFIER
    assert found["addr_state"].role is not IDENTIFIER
    assert found["county_income"].kind is CONTINUOUS
    assert found["county_code"].kind is NOMINAL
    assert found["tax"].kind is CONTINUOUS
    assert found["ewe"].kind is NOMINAL
    assert not found["federation"].singles_out


def test_years_of_a_series_are_no_numbers_of_rows() -> None:
    assert propose("year", list(range(1800, 1998))).column.role is QUASI
    assert propose("nr", list(range(1800, 1998))).column.role is IDENTIFIER


def test_nitric_oxide_is_a_number_of_somebody_only_alone() -> None:
    numbers = np.random.default_rng(6).integers(5, 300, 400)
    air = pd.DataFrame({"NO": numbers, "NO2": numbers[::-1] // 2, "temp": numbers / 7})
    first, *_ = suggest_columns(air)
    assert (first.column.role, first.column.kind) == (QUASI, CONTINUOUS)
    first, *_ = suggest_columns(air[["NO", "temp"]])
    assert first.column.singles_out


def test_places_called_after_people_are_no_people() -> None:
    people = ["Wrigley", "Crosley", "Griffith", "Connie Mack", "Henry Ford", "Kelly"]
    ends = ("Park", "Field", "Stadium", "Grounds", "Hospital", "School")
    places = [f"{name} {end}" for name in people for end in ends]
    assert propose("v2", places * 3).column.role is UNDECIDED
    singers = ["Jane Park", "Linda Field"]
    singers += [f"{given} {name}" for given in ("Anna", "Karl") for name in people[4:]]
    singers += ["Grace Miller", "Eva Huber", "Maria Schmidt", "Paul Weber"]
    assert propose("v1", singers * 3).column.role is IDENTIFIER
    choir = [
        f"{given} {family}"
        for given in ("Grace", "John", "Mary", "Peter")
        for family in ("Park", "Church", "Field", "Castle", "Bridge", "Smith")
    ]
    assert propose("v1", choir * 3).column.role is IDENTIFIER


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
    found = {one.column.name: one.column for one in suggest_columns(frame)}
    for name in ("q17", "q18"):
        assert found[name].role is Role.QUASI_IDENTIFIER
        assert not found[name].singles_out
    for name in ("q19", "q20", "q21", "q22", "q23"):
        assert found[name].singles_out, name


@pytest.mark.parametrize("spread", [15, 60])
def test_an_amount_that_thins_out_on_both_sides_is_no_key(spread: int) -> None:
    rng = np.random.default_rng(4)
    n = 600
    amount = np.sort(rng.normal(700, spread, n).astype(int))
    waves = np.sort(rng.choice(np.arange(1, 200), n))
    frame = pd.DataFrame({"q1": amount, "q2": amount[::-1], "q3": waves})
    found = {one.column.name: one.column.singles_out for one in suggest_columns(frame)}
    assert found == {"q1": False, "q2": False, "q3": True}


def test_few_codes_of_letters_are_no_numbers_of_records() -> None:
    leagues = ["AL", "NL", "NN2", "AA", "FL", "UA", "PL", "NA", "EAS", "WES", "IND"]
    assert propose("lgID", leagues * 30).column.role is not IDENTIFIER
    for name in ("id", "playerID"):
        assert propose(name, leagues * 30).column.role is IDENTIFIER
    assert propose("lgID", leagues * 3).column.role is IDENTIFIER
    numbered = [f"AB{number:04}" for number in range(11)]
    assert propose("lgID", numbered * 30).column.role is IDENTIFIER


def test_abbreviations_are_no_names_and_words_without_digits_no_telephones() -> None:
    teams = ["Mon", "Hou", "Det", "Bal", "LA", "Oak", "Sea", "Cle", "Max", "Ann", "Tom"]
    assert not propose("v1", teams * 9).singles_out
    causes = ["Avalanche", "Fall", "Exposure", "Illness", "Crevasse", "Rock"]
    assert not propose("death_cause", causes * 4).singles_out
    minds = ["Bisexual", "Homosexual", "Other", "Fluid"]
    assert propose("gsm", minds * 30).column.role is not IDENTIFIER
    assert propose("gsm", [f"0171 {n} 44" for n in range(99)]).column.role is IDENTIFIER


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


def test_a_weight_beside_other_figures_of_a_body_is_its_own() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"Wt": rng.lognormal(0, 0.6, 200).round(1) + 0.1, "dose": rng.normal(3, 1, 200)}
    )
    roles = {one.column.name: one.column.role for one in suggest_columns(frame)}
    assert roles["Wt"] is Role.QUASI_IDENTIFIER
    roles = {
        one.column.name: one.column.role
        for one in suggest_columns(frame.rename(columns={"Wt": "survey_wt"}))
    }
    assert roles["survey_wt"] is Role.WEIGHT


@pytest.mark.parametrize(
    ("code", "gap", "about"),
    [
        ("S-{:04d}", 1, ""),
        ("{:05d}", 1, ""),
        ("02-{:03d}", 1, ""),
        ("S-{:04d}", 7, "postcode"),
        ("{:05d}", 7, "postcode"),
        ("02-{:03d}", 7, "postcode"),
        ("{:04d} AB", 1, "postcode"),
    ],
)
def test_numbers_that_count_on_are_no_postcodes(
    code: str, gap: int, about: str
) -> None:
    codes = [code.format(1 + gap * one) for one in range(100)] * 2
    (told,) = suggest_columns(pd.DataFrame({"zq": codes}))
    assert told.about == about


@pytest.mark.parametrize("name", ["nace", "nace_rev2", "icd9", "isic4"])
def test_codes_with_a_point_inside_are_never_averaged(name: str) -> None:
    codes = np.array([10.11, 25.5, 41.2, 47.11, 47.19, 49.41, 56.1, 62.02, 70.22])
    frame = pd.DataFrame(
        {name: codes[RNG.integers(0, 9, 300)] + RNG.integers(0, 9, 300) / 100}
    )
    [found] = suggest_columns(frame)
    assert found.column.kind is Kind.NOMINAL


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
        [found, _other] = suggest_columns(pd.DataFrame({name: values, "b": 1}))
        assert found.column.name == name
