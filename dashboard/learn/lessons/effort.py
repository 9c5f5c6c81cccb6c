"""Lesson on effort: losses by effort, and lower bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from dashboard.charts.lesson_inputs import EffortResult
from dashboard.i18n.text import BOUND_NAMES
from dashboard.learn.lessons.groups import (
    lesson_loss,
    mean_per_group,
    patient_plane,
    standardise_plane,
)
from engine.bounds import (
    LowerBound,
    column_generation_bound,
    edge_cover_bound,
    nearest_bound,
)
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.files import read_table
from engine.pipeline.labels import partition
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

EFFORT_K = 5

EFFORT_STEPS = (0, 1, 500)
"""Effort: 0 is MDAV, 1 its groups polished, more are steps of iterated search."""


def _lesson_points() -> Values:
    return standardise_plane(patient_plane())


@lru_cache(maxsize=1)
def bounds_by_name() -> dict[str, float]:
    """Return LB0, LB1 and LB2 in per cent, by name, weakest first."""
    X = _lesson_points()
    found: tuple[LowerBound, ...] = (
        nearest_bound(X, EFFORT_K),
        edge_cover_bound(X, EFFORT_K),
        column_generation_bound(X, EFFORT_K),
    )
    return {BOUND_NAMES[bound.kind]: bound.per_cent for bound in found}


def labels_after_effort(steps: int) -> Labels:
    """Return the groups that some effort finds, shape (n_records,)."""
    X = _lesson_points()
    if steps < 2:
        return partition(X, EFFORT_K, "mdav", scaling="none", polish=steps == 1)
    return partition(
        X, EFFORT_K, "iterated", scaling="none", seconds=60.0, iterations=steps
    )


@lru_cache(maxsize=len(EFFORT_STEPS))
def effort_result(steps: int) -> EffortResult:
    """Return what some effort reaches.

    Parameters
    ----------
    steps : int
        One of :data:`EFFORT_STEPS`.
    """
    X, labels = _lesson_points(), labels_after_effort(steps)
    lost = lesson_loss(X, mean_per_group(X, labels)[labels])
    return EffortResult(steps, lost, float(np.max(list(bounds_by_name().values()))))


@dataclass(frozen=True)
class CertifiedGroups:
    """The lesson's proof, to be checked at home.

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
def certified_groups() -> CertifiedGroups:
    """Return the best groups of the patients with what proves them."""
    from engine.certificate.write import build_certificate  # loads the solvers

    plane = patient_plane()
    file = pd.DataFrame(plane.values, columns=list(plane.names)).to_csv(index=False)
    table = read_table(file.encode(), name="patients.csv").assign(
        roles=dict.fromkeys(plane.names, "quasi-identifier"),
        kinds=dict.fromkeys(plane.names, "continuous"),
    )
    parameters = {"iterations": EFFORT_STEPS[-1], "gap": 0.0}
    outcome = run(Plan(method="optimal", k=EFFORT_K, parameters=parameters), table)
    proof = build_certificate(outcome, table)
    return CertifiedGroups(proof.text, file.encode(), proof.best)
