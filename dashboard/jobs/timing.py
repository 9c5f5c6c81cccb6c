"""Timing jobs: a worker times methods on parts of a table.

Beside ``table/`` a job's folder then holds ``experiment.json``, with the plans, and
``timings.json``, which the worker writes anew with every time that is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from engine.analysis.curves.experiment import Experiment
from engine.analysis.curves.timing import MethodTiming, time_methods
from engine.core.context import RunContext
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.storage.outcomes import read_json, write_json

_EXPERIMENT_FILE = "experiment.json"
_TIMINGS_FILE = "timings.json"
_TIMINGS_ADAPTER = TypeAdapter(tuple[MethodTiming, ...])


def write_timing_job(
    experiment: Experiment,
    plans: Sequence[Plan],
    known_timings: Sequence[MethodTiming],
    folder: Path,
) -> None:
    """Write a timing experiment and its known timings into a worker's job folder."""
    write_json(
        folder / _EXPERIMENT_FILE,
        {"experiment": asdict(experiment), "plans": [plan.to_json() for plan in plans]},
    )
    write_json(
        folder / _TIMINGS_FILE, _TIMINGS_ADAPTER.dump_python(tuple(known_timings))
    )


def is_timing_job(folder: Path) -> bool:
    """Return whether a job folder requests timings."""
    return (folder / _EXPERIMENT_FILE).exists()


def run_timing_job(
    folder: Path, table: Table, ctx: RunContext, call_between: Callable[[], None]
) -> None:
    """Time the methods of a job folder's experiment; write timings to the folder."""
    content = read_json(folder / _EXPERIMENT_FILE)
    settings = content["experiment"]
    experiment = Experiment(**{**settings, "values": tuple(settings["values"])})
    plans = [Plan.from_json(text) for text in content["plans"]]
    timings = list(load_timings(folder))

    def keep(timing: MethodTiming) -> None:
        timings.append(timing)
        write_json(folder / _TIMINGS_FILE, _TIMINGS_ADAPTER.dump_python(tuple(timings)))
        call_between()

    time_methods(plans, table, experiment, ctx, keep, known_timings=tuple(timings))


def load_timings(folder: Path) -> tuple[MethodTiming, ...]:
    """Return the timings in a job folder so far."""
    if not (folder / _TIMINGS_FILE).exists():
        return ()
    return _TIMINGS_ADAPTER.validate_python(read_json(folder / _TIMINGS_FILE))
