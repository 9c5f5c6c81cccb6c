"""Lesson on parameters of fuzzy methods, with a noise baseline."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from dashboard.learn.lessons.groups import patient_plane
from engine.analysis.sweep import SweepResult, noise_baseline, sweep_parameter
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.plan import Plan

FUZZINESS_K = 3
N_RECORDS = 60
N_SEEDS = 5

_FUZZIFIER_VALUES = (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0)
_LAMBDA_VALUES = (0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)

PARAMETER_VALUES = {
    "m1": _FUZZIFIER_VALUES,
    "m2": _FUZZIFIER_VALUES,
    "lambda1": _LAMBDA_VALUES,
    "lambda2": _LAMBDA_VALUES,
}
"""Values that each parameter is tried with; the others are as usual."""

DEFAULT_PARAMETER = "m2"

NOISE_DEVIATIONS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5)
"""Standard deviations of the noise, in those of the columns."""


def _plan(name: str) -> Plan:
    algorithm = "efcm" if name.startswith("lambda") else "fcm"
    parameters = {"algorithm": algorithm}
    return Plan(
        method="fuzzy",
        k=FUZZINESS_K,
        seeds=N_SEEDS,
        parameters=parameters,
        rounding="none",
    )


@lru_cache(maxsize=1)
def patient_sample_table() -> Table:
    """Return a table of height and weight of some patients."""
    plane = patient_plane(N_RECORDS)
    frame = pd.DataFrame(plane.values, columns=list(plane.names))
    return read_table(frame).assign(
        roles=dict.fromkeys(plane.names, "quasi-identifier")
    )


@lru_cache(maxsize=len(PARAMETER_VALUES))
def sweep_results(parameter: str) -> tuple[SweepResult, ...]:
    """Return the loss and linkage for each value of a parameter of the fuzzy method."""
    return sweep_parameter(
        _plan(parameter), patient_sample_table(), parameter, PARAMETER_VALUES[parameter]
    )


@lru_cache(maxsize=1)
def plain_noise_results() -> tuple[SweepResult, ...]:
    """Return the loss and linkage of plain noise, for each standard deviation."""
    return noise_baseline(
        _plan(DEFAULT_PARAMETER), patient_sample_table(), NOISE_DEVIATIONS
    )
