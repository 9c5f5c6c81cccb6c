"""How good is good enough: what more effort gains, and what no effort can."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from dashboard.charts.lesson_inputs import Effort
from dashboard.i18n.text import BOUND_NAMES
from dashboard.learn.lessons.groups import loss, means, patients, standardised
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

K = 5

STEPS = (0, 1, 500)
"""Effort: 0 is MDAV, 1 its groups polished, more are steps of iterated search."""


def _points() -> Values:
    return standardised(patients())


@lru_cache(maxsize=1)
def bounds() -> dict[str, float]:
    """Return LB0, LB1 and LB2 in per cent, by name, weakest first."""
    X = _points()
    found: tuple[LowerBound, ...] = (
        nearest_bound(X, K),
        edge_cover_bound(X, K),
        column_generation_bound(X, K),
    )
    return {BOUND_NAMES[bound.kind]: bound.per_cent for bound in found}


def labels_after(steps: int) -> Labels:
    """Return the groups that some effort finds, shape (n_records,)."""
    X = _points()
    if steps < 2:
        return partition(X, K, "mdav", scaling="none", polish=steps == 1)
    return partition(X, K, "iterated", scaling="none", seconds=60.0, iterations=steps)


@lru_cache(maxsize=len(STEPS))
def after(steps: int) -> Effort:
    """Return what some effort reaches.

    Parameters
    ----------
    steps : int
        One of :data:`STEPS`.
    """
    X, labels = _points(), labels_after(steps)
    lost = loss(X, means(X, labels)[labels])
    return Effort(steps, lost, float(np.max(list(bounds().values()))))


@dataclass(frozen=True)
class Certified:
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
def certified() -> Certified:
    """Return the best groups of the patients with what proves them."""
    from engine.certificate.write import certificate  # loads the solvers

    plane = patients()
    file = pd.DataFrame(plane.values, columns=list(plane.names)).to_csv(index=False)
    table = read_table(file.encode(), name="patients.csv").assign(
        roles=dict.fromkeys(plane.names, "quasi-identifier"),
        kinds=dict.fromkeys(plane.names, "continuous"),
    )
    parameters = {"iterations": STEPS[-1], "gap": 0.0}
    outcome = run(Plan(method="optimal", k=K, parameters=parameters), table)
    proof = certificate(outcome, table)
    return Certified(proof.text, file.encode(), proof.best)
