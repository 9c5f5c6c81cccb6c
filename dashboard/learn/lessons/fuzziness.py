"""What the parameters of fuzzy groups cost and hide, beside plain noise."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from dashboard.learn.lessons.groups import patients
from engine.analysis.sweep import Swept, noise_baseline, sweep
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.plan import Plan

K = 3
RECORDS = 60
SEEDS = 5

_FUZZY = (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0)
_CRISP = (0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)

PARAMETERS = {"m1": _FUZZY, "m2": _FUZZY, "lambda1": _CRISP, "lambda2": _CRISP}
"""Values that each parameter is tried with; the others are as usual."""

DEFAULT = "m2"

NOISE = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5)
"""Standard deviations of the noise, in those of the columns."""


def _plan(name: str) -> Plan:
    algorithm = "efcm" if name.startswith("lambda") else "fcm"
    parameters = {"algorithm": algorithm}
    return Plan(
        method="fuzzy", k=K, seeds=SEEDS, parameters=parameters, rounding="none"
    )


@lru_cache(maxsize=1)
def table() -> Table:
    """Return height and weight of some patients."""
    plane = patients(RECORDS)
    frame = pd.DataFrame(plane.values, columns=list(plane.names))
    return read_table(frame).assign(
        roles=dict.fromkeys(plane.names, "quasi-identifier")
    )


@lru_cache(maxsize=len(PARAMETERS))
def swept(name: str) -> tuple[Swept, ...]:
    """Return loss and linkage for each value of a parameter."""
    return sweep(_plan(name), table(), name, PARAMETERS[name])


@lru_cache(maxsize=1)
def noise() -> tuple[Swept, ...]:
    """Return loss and linkage of plain noise."""
    return noise_baseline(_plan(DEFAULT), table(), NOISE)
