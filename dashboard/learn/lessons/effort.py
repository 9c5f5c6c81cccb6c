"""Lesson on effort: losses by effort, and lower bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from dashboard.charts.lesson_inputs import EffortResult
from dashboard.i18n.text import BOUND_NAMES
from dashboard.learn.lessons.groups import (
    mean_per_group,
    patient_plane,
    released_loss_percent,
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
def lesson_bounds_by_name() -> dict[str, float]:
    """Return the lower bounds LB0, LB1 and LB2 of the lesson's groups, in per cent."""
    X = _lesson_points()
    found: tuple[LowerBound, ...] = (
        nearest_bound(X, EFFORT_K),
        edge_cover_bound(X, EFFORT_K),
        column_generation_bound(X, EFFORT_K),
    )
    return {BOUND_NAMES[bound.kind]: bound.per_cent for bound in found}


def labels_after_effort(effort_steps: int) -> Labels:
    """Return the groups that an amount of effort finds, shape (n_records,)."""
    X = _lesson_points()
    if effort_steps < 2:
        return partition(X, EFFORT_K, "mdav", scaling="none", polish=effort_steps == 1)
    return partition(
        X, EFFORT_K, "iterated", scaling="none", seconds=60.0, iterations=effort_steps
    )


@lru_cache(maxsize=len(EFFORT_STEPS))
def effort_result(effort_steps: int) -> EffortResult:
    """Return the loss that an amount of effort reaches, and the best lower bound.

    Parameters
    ----------
    effort_steps : int
        One of :data:`EFFORT_STEPS`.
    """
    X, labels = _lesson_points(), labels_after_effort(effort_steps)
    lost = released_loss_percent(X, mean_per_group(X, labels)[labels])
    return EffortResult(
        effort_steps, lost, float(np.max(list(lesson_bounds_by_name().values())))
    )


@dataclass(frozen=True)
class CertifiedGroups:
    """Certificate and file of the lesson's groups, to be checked at home.

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
def certify_best_groups() -> CertifiedGroups:
    """Return the best groups of the patients, with the certificate that proves them."""
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
