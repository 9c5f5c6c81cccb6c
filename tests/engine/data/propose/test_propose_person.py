"""Which column says who records are about is proposed, asked, or left alone."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.data.propose import persons, suggest_columns
from engine.data.propose.persons import PersonProposal, propose_person
from engine.files import read_table


def proposal(**columns: object) -> PersonProposal | None:
    return propose_person(read_table(pd.DataFrame(columns)))


PERSON, WAVE = np.divmod(np.arange(60), 4)
GIVEN = ("Anna", "Clara", "Eva", "Gerda", "Ilse", "Karin", "Maria", "Olga", "Rita")
FAMILIES = ("Albers", "Brandt", "Conrad", "Ebert", "Fuchs", "Graf", "Huber", "Kraus")
AMOUNT = np.random.default_rng(3).normal(10, 2, 60)


@pytest.mark.parametrize("name", ["id", "nr", "patient", "Subject", "individual"])
@pytest.mark.parametrize("occasion", ["visit", "year", "Datum"])
def test_an_identifier_beside_occasions_is_counted(name: str, occasion: str) -> None:
    person_proposal = proposal(
        **{name: 100 + PERSON, occasion: 2000 + WAVE, "size": AMOUNT}
    )
    assert person_proposal is not None
    assert person_proposal.certain
    assert (person_proposal.columns, person_proposal.occasion) == ((name,), occasion)
    assert person_proposal.says == "15 people, 4 records each: k counts people."


NAMES = np.array(
    [
        f"{given} {family}"
        for given in ("Anna", "Karl", "Rosa")
        for family in FAMILIES[:5]
    ]
)


@pytest.mark.parametrize(
    ("others", "is_counted"),
    [
        ({}, True),
        ({"case_no": "C"}, True),
        ({"Rechnungsnummer": "R"}, True),
        ({"passport_no": "P"}, False),
        ({"passport_no": "P", "birth_date": "each"}, True),
        ({"passport_no": "P", "birth_date": "other"}, False),
        ({"Matricule": ""}, False),  # numbers given out one after the other
        ({"id": ""}, True),
        ({"Fallnummer": ""}, True),
    ],
)
def test_names_are_counted_unless_each_record_is_numbered_as_another_persons(
    others: dict[str, str], is_counted: bool
) -> None:
    days = {"each": PERSON, "other": np.arange(60)}
    columns: dict[str, object] = {
        name: (
            pd.Timestamp("1950-03-01") + pd.to_timedelta(97 * days[content_kind], "D")
            if content_kind in days
            else [f"{content_kind}{n * 7919 % 100_003:06d}" for n in range(60)]
            if content_kind
            else 20_230_000 + np.arange(60) * 7 % 60
        )
        for name, content_kind in others.items()
    }
    person_proposal = proposal(
        patient=NAMES[PERSON], visit=WAVE, size=AMOUNT, **columns
    )
    assert (person_proposal is not None) == is_counted
    if person_proposal is not None:
        assert (
            person_proposal.columns,
            person_proposal.certain,
            person_proposal.n_persons,
        ) == (
            ("patient",),
            True,
            15,
        )


@pytest.mark.parametrize(
    ("family", "given"),
    [("Nachname", "Vorname"), ("Name", "Vorname"), ("last_name", "first_name")],
)
def test_family_and_given_names_are_counted_together(family: str, given: str) -> None:
    person = np.arange(288) // 4
    families, givens = np.array(FAMILIES), np.array(GIVEN)
    person_proposal = proposal(
        **{family: families[person % 8], given: givens[person % 9]},
        Besuch=np.arange(288) % 4,
        size=np.arange(288) / 7,
    )
    assert person_proposal is not None
    assert (person_proposal.columns, person_proposal.n_persons) == ((family, given), 72)


def test_what_several_persons_belong_to_is_asked() -> None:
    person_proposal = proposal(firm_id=100 + PERSON, year=2000 + WAVE, size=AMOUNT)
    assert person_proposal is not None
    assert person_proposal.of_group
    assert not person_proposal.certain


def test_of_a_person_and_a_household_the_person_is_proposed() -> None:
    columns = {"household_id": PERSON // 2, "person_id": PERSON, "wave": WAVE}
    person_proposal = proposal(**columns, size=AMOUNT)
    assert person_proposal is not None
    assert person_proposal.columns == ("person_id",)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", np.arange(60)),
        ("id", np.zeros(60, dtype=int)),
        ("amount", AMOUNT.round(0)),
        ("sex", PERSON % 2),
        ("CompanySizeNumber", 10 ** (PERSON % 5)),
        ("patient_type_code", PERSON % 4),
        ("row", PERSON),
    ],
)
def test_what_numbers_no_persons_is_left_alone(name: str, values: object) -> None:
    assert proposal(**{name: values, "visit": WAVE, "size": AMOUNT}) is None


def test_an_amount_that_somebody_leaves_out_is_no_person() -> None:
    debt = np.random.default_rng(4).lognormal(8, 1, 900).round(-1)
    frame = pd.DataFrame({"bank_debt": np.r_[debt, debt[:300]], "size": 1.5})
    assert frame["bank_debt"].nunique() < 1000
    table = read_table(frame, roles={"bank_debt": "identifier"})
    assert propose_person(table) is None


def test_few_answers_and_places_that_were_left_out_are_no_persons() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"Q01": rng.integers(1, 6, 900), "x": rng.normal(size=900)})
    frame["STATE"] = rng.integers(1, 17, 900)
    table = read_table(frame, roles={"Q01": "identifier", "STATE": "identifier"})
    assert propose_person(table) is None


@pytest.mark.parametrize("name", ["CaptureTime", "Time", "datum"])
def test_times_that_repeat_are_no_persons(name: str) -> None:
    times = [f"{9 + at % 12}:{at % 60:02d}" for at in range(300)]
    table = read_table(pd.DataFrame({name: times * 2, "size": 1.5}))
    assert propose_person(table.assign(roles={name: "identifier"})) is None


def test_what_is_known_for_something_else_is_no_person_where_it_was_left_out() -> None:
    codes = np.random.default_rng(6).choice(np.arange(170, 9600, 271), 600)
    table = read_table(pd.DataFrame({"INDP": codes, "size": 1.5}))
    assert propose_person(table.assign(roles={"INDP": "identifier"})) is None


def test_what_was_measured_with_a_limit_says_no_person() -> None:
    drawn = np.random.default_rng(7).integers(10, 400, 300)
    texts = [f"{n // 10},{n % 10}" if n > 30 else "<3,0" for n in drawn]
    assert proposal(**{"GFR [ml/min]": texts, "size": np.arange(300) / 7}) is None


@pytest.mark.parametrize(
    "name", ["number_vmail_messages", "townid", "model_type_index", "region_code"]
)
def test_counts_places_and_sorts_are_no_persons(name: str) -> None:
    values = np.random.default_rng(5).integers(100, 160, 300)
    assert proposal(**{name: values, "paid": np.arange(300) * 1.7}) is None


def test_the_number_of_a_player_says_whom_a_record_is_about() -> None:
    codes = np.array(
        [f"{name.split()[1].lower()}{i:02}" for i, name in enumerate(NAMES)]
    )
    awards = ["A", "B", "C"] * codes.size
    for name, who in (("playerID", codes), ("Player", NAMES)):
        person_proposal = proposal(**{name: np.repeat(who, 3), "award": awards})
        assert person_proposal is not None
        assert person_proposal.columns == (name,)


@pytest.mark.parametrize("with_years", [True, False])
def test_firms_by_name_are_counted_beside_their_years(with_years: bool) -> None:
    firms = [f"{family} {form}" for family in FAMILIES for form in ("Ltd", "Inc")]
    years = {"year": [2020, 2021, 2022] * len(firms)} if with_years else {}
    person_proposal = proposal(company=np.repeat(firms, 3), **years)
    assert (person_proposal is not None) == with_years


@pytest.mark.parametrize("code", ["S-{:04d}", "03-{:03d}", "{:05d}", "x{:d}q"])
@pytest.mark.parametrize("occasion", ["visit", "amount"])
def test_codes_that_decide_the_sex_of_each_record_are_those_of_persons(
    code: str, occasion: str
) -> None:
    """Whatever the column is called; where nothing tells visits apart, it is asked."""
    rng = np.random.default_rng(8)
    person, wave = np.divmod(np.arange(120), 4)
    columns = {
        "zq": [code.format(person_number) for person_number in person],
        "sex": rng.choice(["f", "m"], 30)[person],
        occasion: wave if occasion == "visit" else rng.normal(size=120),
    }
    person_proposal = proposal(**columns)
    assert person_proposal is not None
    assert person_proposal.columns == ("zq",)
    assert person_proposal.certain == (occasion == "visit")


def test_codes_with_which_sexes_change_are_not_those_of_persons() -> None:
    person = np.arange(120) // 4
    codes = [f"S-{person_number:04d}" for person_number in person]
    sexes = np.where(np.arange(120) % 3, "f", "m")
    assert proposal(zq=codes, sex=sexes, size=np.arange(120) * 0.37) is None


@pytest.mark.parametrize("has_sessions", [True, False])
@pytest.mark.parametrize("people", [8, 12])
@pytest.mark.parametrize("written", ["numbers", "words"])
def test_few_people_with_many_records_are_found_by_what_they_have_one_of(
    written: str, people: int, has_sessions: bool
) -> None:
    rng = np.random.default_rng(4)
    records = 25
    who = np.repeat(np.arange(people), records)
    words = np.array(
        ["ab", "kr", "mo", "pt", "uw", "hj", "ls", "qe", "cv", "bn", "yx", "gd"]
    )
    frame = pd.DataFrame(
        {
            "x1": who + 1 if written == "numbers" else words[who],
            "age": rng.permutation(np.arange(20, 60, 3))[who],
            "sex": np.array(["f", "m"])[who % 2],
            "reaction": rng.lognormal(6, 0.3, who.size).round(1),
        }
    )
    if has_sessions:
        frame["session"] = np.tile(np.arange(1, records + 1), people)
    person_proposal = propose_person(read_table(frame))
    assert person_proposal is not None
    assert (person_proposal.columns, person_proposal.n_persons) == (("x1",), people)
    assert person_proposal.certain == (has_sessions and people >= 10)
    # A class of an age or a sex is nobody.
    for trait in ("age", "sex"):
        assert propose_person(read_table(frame.drop(columns=trait))) is None


def test_what_a_column_is_about_is_told_once_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    column_names: list[str] = []

    def counting(frame: pd.DataFrame, labels: Any) -> Any:
        column_names.extend(frame.columns)
        return suggest_columns(frame, labels)

    monkeypatch.setattr(persons, "suggest_columns", counting)
    words = {f"c{j}": [f"v{i * (j % 5 + 1) % 7}" for i in range(60)] for j in range(80)}
    table = read_table(pd.DataFrame(words))
    assert propose_person(table) is None
    assert len(column_names) == len(set(column_names)) == 80
