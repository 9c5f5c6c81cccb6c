"""Which column says who records are about is proposed, asked, or left alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from engine.data.propose.persons import PersonProposal, propose_person
from engine.files import read_table


def proposal(**columns: object) -> PersonProposal | None:
    return propose_person(read_table(pd.DataFrame(columns)))


PERSON, WAVE = np.divmod(np.arange(60), 4)
AMOUNT = np.random.default_rng(3).normal(10, 2, 60)


@pytest.mark.parametrize("name", ["id", "nr", "patient", "Subject", "person_id"])
@pytest.mark.parametrize("occasion", ["visit", "year", "Datum"])
def test_an_identifier_beside_occasions_is_counted(name: str, occasion: str) -> None:
    found = proposal(**{name: 100 + PERSON, occasion: 2000 + WAVE, "size": AMOUNT})
    assert found is not None
    assert found.certain
    assert (found.columns, found.occasion) == ((name,), occasion)
    assert found.says == "15 people, 4 records each: k counts people."


def test_what_several_persons_belong_to_is_asked() -> None:
    found = proposal(firm_id=100 + PERSON, year=2000 + WAVE, size=AMOUNT)
    assert found is not None
    assert found.of_group
    assert not found.certain


def test_of_a_person_and_a_household_the_person_is_proposed() -> None:
    columns = {"household_id": PERSON // 2, "person_id": PERSON, "wave": WAVE}
    found = proposal(**columns, size=AMOUNT)
    assert found is not None
    assert found.columns == ("person_id",)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", np.arange(60)),
        ("id", np.zeros(60, dtype=int)),
        ("amount", AMOUNT.round(0)),
        ("name", [f"Anna Meier{n}" for n in PERSON]),
        ("sex", PERSON % 2),
        ("CompanySizeNumber", 10 ** (PERSON % 5)),
        ("patient_type_code", PERSON % 4),
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
