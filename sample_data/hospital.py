"""A hospital's discharge list: names, numbers, categories and a few missing values."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.hierarchy import Hierarchy, from_prefixes
from sample_data.diagnoses import DIAGNOSES, hierarchy_rows
from sample_data.draw import (
    Flags,
    Floats,
    Generated,
    Integers,
    choose,
    generator,
    lognormal,
    shuffled,
    whole,
)
from sample_data.names import names

N_PATIENTS = 5000

# Per mille of the records without this value.
MISSING = {"age": 15, "weight": 20, "postcode": 10}

FIRST_DAY = date(2023, 1, 1)
DAYS = 365

# Invented postcodes: one large town, its surroundings, and the country.
POSTCODES = tuple(
    f"{area:02d}{place:03d}"
    for area, places in ((1, 12), (2, 9), (4, 8), (7, 7), (19, 4))
    for place in range(101, 101 + 17 * places, 17)
)
# Frailty at which each grade of care begins.
CARE_LIMITS = (0.9, 1.4, 2.0, 2.6, 3.2)


class Patients(NamedTuple):
    """What everything else follows from; each of shape (n_records,)."""

    diagnosis: Integers
    woman: Flags
    age: Integers


def _quantity(name: str, description: str) -> Column:
    return Column(name, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, description)


def _category(
    name: str,
    description: str,
    kind: Kind = Kind.NOMINAL,
    hierarchy: Hierarchy | None = None,
) -> Column:
    return Column(name, kind, Role.QUASI_IDENTIFIER, description, hierarchy)


SCHEMA = Schema(
    columns=(
        Column(
            "patient_number",
            Kind.NOMINAL,
            Role.IDENTIFIER,
            "Number in the hospital's invented register; unique.",
        ),
        Column("name", Kind.NOMINAL, Role.IDENTIFIER, "Invented name; unique."),
        _category("sex", "Female or male."),
        _quantity("age", "Age at admission, years; missing in some records."),
        _category(
            "postcode",
            "Invented postcode, text of five digits with leading zeros; missing in "
            "some records.",
            # Part of a town, then town or area.
            hierarchy=from_prefixes(POSTCODES, keep=(3, 2)),
        ),
        _category("admission", "Day of admission, year-month-day.", Kind.ORDINAL),
        _category("admission_type", "Emergency or planned."),
        _quantity("height", "Height, centimetres."),
        _quantity("weight", "Weight, kilograms; missing in some records."),
        Column(
            "care_grade",
            Kind.ORDINAL,
            Role.QUASI_IDENTIFIER,
            "Grade of long-term care at home, 0 (none) to 5.",
        ),
        _quantity("previous_stays", "Stays in this hospital in the last five years."),
        _quantity("length_of_stay", "Nights in hospital, at least 1."),
        _quantity("cost", "Cost of the stay, euros."),
        Column(
            "diagnosis",
            Kind.NOMINAL,
            Role.CONFIDENTIAL,
            "Main diagnosis, a code as in ICD-10; blocks and chapters are in "
            "hospital_diagnosis_hierarchy.csv.",
            Hierarchy(tuple(hierarchy_rows())),
        ),
    ),
    title="Hospital discharges (synthetic)",
    description=(
        f"{N_PATIENTS:,} invented patients, one stay each, with names and numbers to "
        "remove, and a diagnosis that nobody should learn. Some values are missing in "
        "age, weight and postcode, and nowhere else. The table is synthetic, made by "
        "a program with a fixed seed: no real person is in it."
    ),
)


def _of_diagnosis(field: str, diagnosis: Integers) -> Floats:
    values = np.array([getattr(d, field) for d in DIAGNOSES], dtype=np.float64)
    return values[diagnosis]


def _patients(rng: np.random.Generator) -> Patients:
    diagnosis = choose(rng, [d.stays for d in DIAGNOSES], N_PATIENTS)
    woman = rng.random(N_PATIENTS) * 100.0 < _of_diagnosis("women", diagnosis)
    spread = _of_diagnosis("age_spread", diagnosis)
    mean = _of_diagnosis("age", diagnosis) + np.where(woman, 1.0, -1.0)
    drawn = mean + spread * rng.standard_normal(N_PATIENTS)
    # Ages beyond a limit are mirrored at it: cutting would heap them up there.
    youngest = _of_diagnosis("youngest", diagnosis)
    oldest = _of_diagnosis("oldest", diagnosis)
    drawn = youngest + np.abs(drawn - youngest)
    drawn = oldest - np.abs(oldest - drawn)
    age = whole(np.maximum(drawn, youngest))
    return Patients(diagnosis, woman, age)


def _body(rng: np.random.Generator, patients: Patients) -> tuple[Integers, Floats]:
    """Draw height in centimetres and weight in tenths of a kilogram."""
    n = N_PATIENTS
    adult = np.where(patients.woman, 166.0, 179.0)
    adult = adult + np.where(patients.woman, 6.3, 7.1) * rng.standard_normal(n)
    # The old are smaller; children grow as far as the curve says.
    ages = [0, 1, 5, 10, 14, 18, 50, 100]
    grown = np.interp(patients.age, ages, [0.33, 0.44, 0.64, 0.8, 0.93, 1, 1, 0.955])
    height = adult * grown
    ages = [0, 2, 6, 18, 45, 65, 100]
    index = np.interp(patients.age, ages, [15.5, 16.5, 15.5, 22.0, 26.0, 27.5, 23.5])
    index = index * lognormal(rng, 0.15, n)
    codes = [d.code for d in DIAGNOSES]
    index = index + np.where(patients.diagnosis == codes.index("E66"), 15.0, 0.0)
    index = index + np.where(patients.diagnosis == codes.index("E11"), 3.0, 0.0)
    return whole(height), np.rint(10.0 * index * (height / 100.0) ** 2)


def _stay(rng: np.random.Generator, patients: Patients) -> dict[str, Integers]:
    """Draw care grade, previous stays, nights, cost in cents and kind of admission."""
    n, age, diagnosis = N_PATIENTS, patients.age, patients.diagnosis
    frailty = 0.05 * np.maximum(age - 55.0, 0.0) + 0.7 * rng.standard_normal(n)
    care = np.searchsorted(CARE_LIMITS, frailty, side="right").astype(np.int64)
    often = 0.3 + age / 70.0 + 0.35 * care
    previous = np.floor(-often * np.log(1.0 - rng.random(n))).astype(np.int64)
    days = _of_diagnosis("days", diagnosis) * lognormal(rng, 0.55, n)
    nights = whole(days * (1.0 + 0.06 * care) * (0.8 + age / 250.0), 1)
    nights = np.minimum(nights, 180)
    case = _of_diagnosis("cost", diagnosis) * lognormal(rng, 0.3, n)
    daily = 420.0 * lognormal(rng, 0.15, n)
    planned = rng.random(n) * 100.0 < _of_diagnosis("planned", diagnosis)
    return {
        "care_grade": care,
        "previous_stays": previous,
        "length_of_stay": nights,
        "cost": whole(100.0 * (case + daily * nights)),
        "planned": planned.astype(np.int64),
    }


def _empty_some(
    rng: np.random.Generator, columns: dict[str, list[str]]
) -> dict[str, list[str]]:
    """Empty the cells of randomly chosen records, as often as `MISSING` says."""
    emptied = dict(columns)
    for name, rate in MISSING.items():
        gone = rng.integers(1000, size=N_PATIENTS, dtype=np.int64) < rate
        cells = zip(columns[name], gone, strict=True)
        emptied[name] = ["" if empty else cell for cell, empty in cells]
    return emptied


def hospital_discharges(seed: int) -> Generated:
    """Return the discharge list that belongs to a seed, in the order of admission."""
    rng = generator(seed)
    patients = _patients(rng)
    name = names(rng, patients.woman)
    height, weight = _body(rng, patients)
    stay = _stay(rng, patients)
    number = shuffled(rng, N_PATIENTS) * 1_987 + 40_319
    # Places are the smaller the later they come in the list.
    weights = [1200 // (12 + 3 * place) for place in range(len(POSTCODES))]
    postcode = choose(rng, weights, N_PATIENTS)
    day = np.sort(rng.integers(DAYS, size=N_PATIENTS, dtype=np.int64))
    columns = {
        "patient_number": [f"P{value:08d}" for value in number],
        "name": name,
        "sex": ["female" if woman else "male" for woman in patients.woman],
        "age": [str(value) for value in patients.age],
        "postcode": [POSTCODES[code] for code in postcode],
        "admission": [str(FIRST_DAY + timedelta(days=int(value))) for value in day],
        "admission_type": [
            "planned" if planned else "emergency" for planned in stay["planned"]
        ],
        "height": [str(value) for value in height],
        "weight": [f"{int(value) // 10}.{int(value) % 10}" for value in weight],
        **{
            name: [str(value) for value in stay[name]]
            for name in ("care_grade", "previous_stays", "length_of_stay")
        },
        "cost": [f"{value // 100}.{value % 100:02d}" for value in stay["cost"]],
        "diagnosis": [DIAGNOSES[code].code for code in patients.diagnosis],
    }
    columns = _empty_some(rng, columns)
    cells = [columns[name] for name in SCHEMA.names]
    return Generated(SCHEMA, tuple(zip(*cells, strict=True)))
