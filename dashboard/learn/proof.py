"""Patients of a sample table as CSV, and a certificate of how good their groups are."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import sample_data
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

if TYPE_CHECKING:
    from engine.certificate.write import Certificate

N_SKIPPED_ADULTS = 160
N_PATIENTS = 80
"""Adults of the hospital sample that the lesson on effort is about."""

EFFORT_K = 5

EFFORT_STEPS = 500
"""Steps of iterated search, after which these groups are proven to be the best."""


@lru_cache(maxsize=1)
def patients_csv() -> bytes:
    """Return heights and weights of some adults of a sample table, as CSV bytes."""
    frame = sample_data.load("hospital_discharges").frame
    adults = frame[frame["age"] >= 18][["height", "weight"]].dropna()
    chosen = adults.iloc[N_SKIPPED_ADULTS : N_SKIPPED_ADULTS + N_PATIENTS]
    return chosen.astype("float64").to_csv(index=False).encode()


@lru_cache(maxsize=1)
def certify_best_groups() -> Certificate:
    """Group the patients, and return the certificate of their groups."""
    from engine.certificate.write import build_certificate  # loads the solvers

    names = ("height", "weight")
    table = read_table(patients_csv(), name="patients.csv").assign(
        roles=dict.fromkeys(names, "quasi-identifier"),
        kinds=dict.fromkeys(names, "continuous"),
    )
    parameters = {"iterations": EFFORT_STEPS, "gap": 0.0}
    outcome = run(Plan(method="optimal", k=EFFORT_K, parameters=parameters), table)
    return build_certificate(outcome, table)
