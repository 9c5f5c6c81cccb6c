"""Patients of a sample table as CSV, and a certificate of how good their groups are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sample_data
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

N_SKIPPED_ADULTS = 160
N_PATIENTS = 80
"""Adults of the hospital sample that the lesson on effort is about."""

EFFORT_K = 5

EFFORT_STEPS = 500
"""Steps of iterated search, after which these groups are proven to be the best."""


@dataclass(frozen=True)
class CertificateWithPatients:
    """Certificate of patients' groups, their CSV file, and if it proves them optimal.

    Attributes
    ----------
    certificate : bytes
        JSON.
    file : bytes
        The patients as a delimited text.
    best : bool
        Whether it proves that no groups lose less.
    """

    certificate: bytes
    file: bytes
    best: bool


@lru_cache(maxsize=1)
def patients_csv() -> bytes:
    """Return heights and weights of some adults of a sample table, as CSV bytes."""
    frame = sample_data.load("hospital_discharges").frame
    known = frame[frame["age"] >= 18][["height", "weight"]].dropna()
    chosen = known.iloc[N_SKIPPED_ADULTS : N_SKIPPED_ADULTS + N_PATIENTS]
    return chosen.astype("float64").to_csv(index=False).encode()


@lru_cache(maxsize=1)
def certify_best_groups() -> CertificateWithPatients:
    """Group the patients; return certificate, CSV file and if it proves optimality."""
    from engine.certificate.write import build_certificate  # loads the solvers

    names = ("height", "weight")
    table = read_table(patients_csv(), name="patients.csv").assign(
        roles=dict.fromkeys(names, "quasi-identifier"),
        kinds=dict.fromkeys(names, "continuous"),
    )
    parameters = {"iterations": EFFORT_STEPS, "gap": 0.0}
    outcome = run(Plan(method="optimal", k=EFFORT_K, parameters=parameters), table)
    proof = build_certificate(outcome, table)
    return CertificateWithPatients(proof.text, patients_csv(), proof.best)
