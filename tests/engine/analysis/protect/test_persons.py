"""People are counted where records are about them, whatever the column is called."""

import numpy as np
import pandas as pd
import pytest

from engine.analysis.protect import protect
from engine.core.errors import InfeasibleError
from engine.data.propose import persons
from tests.engine.analysis.protect.cases import RNG, N, people


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
    protection = protect(frame, shuffle_seed=1)
    assert protection.outcome.n_persons == n_people
    assert not protection.plan.polish  # groups of people are searched for anyway
    assert "nr" not in protection.release
    labels = protection.outcome.partition.labels
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
    protection = protect(frame, shuffle_seed=1)
    assert protection.plan.person == (name,)
    assert protection.outcome.n_persons == n_people
    assert name not in protection.release
    assert any(name in question.columns for question in protection.questions)
    labels = protection.outcome.partition.labels
    assert frame[name].groupby(labels).nunique().min() >= 5
    # Records that each have a number of somebody of their own are of different people.
    frame["child"] = RNG.permutation(9000)[: person.size]
    protection = protect(frame, shuffle_seed=1)
    assert protection.outcome.n_persons == 0
    assert not {"child", name} & {*protection.release}


def test_a_column_that_is_named_for_people_does_not_leave() -> None:
    """Whatever its values look like, and whether there are enough of them."""
    frame = pd.DataFrame(
        {
            "who": np.arange(N) % 20,
            "age": RNG.integers(18, 90, N),
            "pay": RNG.integers(0, 50, N),
        }
    )
    protection = protect(frame, person="who")
    assert protection.plan.person == ("who",)
    assert "who" not in protection.release
    with pytest.raises(InfeasibleError, match="2 people, k = 5"):
        protect(frame.assign(who=np.arange(N) % 2), person="who")
    both = protect(frame.assign(ward=np.arange(N) % 20 // 5), person=["ward", "who"])
    assert both.plan.person == ("ward", "who")
    assert both.outcome.n_persons == 20
    assert {*both.release} == {"age", "pay"}
    assert {"ward", "who"} <= {omission.column for omission in both.left_out}
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
        omission.column for omission in done.left_out
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
