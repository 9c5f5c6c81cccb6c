"""Timings: methods timed on parts of a table, in a worker process.

Beside ``table/`` and ``plans.json`` a job's folder then holds ``experiment.json``; the
worker writes ``timings.json`` anew with every time that is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from engine.analysis.experiment import Experiment
from engine.analysis.timing import Timing, time_methods
from engine.core.context import RunContext
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.storage.outcomes import read_json, write_json

_FILE = "experiment.json"
_TIMES = "timings.json"
_TIMINGS = TypeAdapter(tuple[Timing, ...])


def write(
    experiment: Experiment,
    plans: Sequence[Plan],
    known: Sequence[Timing],
    folder: Path,
) -> None:
    """Write what the worker needs beside the table; `known` is not timed again."""
    write_json(
        folder / _FILE,
        {
            "experiment": asdict(experiment),
            "plans": [plan.to_json() for plan in plans],
        },
    )
    write_json(folder / _TIMES, _TIMINGS.dump_python(tuple(known)))


def is_asked(folder: Path) -> bool:
    """Return whether a job's folder asks for timings."""
    return (folder / _FILE).exists()


def carry_out(
    folder: Path, table: Table, ctx: RunContext, stand_back: Callable[[], None]
) -> None:
    """Time what a job's folder asks for; `stand_back` is called after every time."""
    content = read_json(folder / _FILE)
    said = content["experiment"]
    experiment = Experiment(**{**said, "values": tuple(said["values"])})
    plans = [Plan.from_json(text) for text in content["plans"]]
    found = list(load(folder))

    def keep(one: Timing) -> None:
        found.append(one)
        write_json(folder / _TIMES, _TIMINGS.dump_python(tuple(found)))
        stand_back()

    time_methods(plans, table, experiment, ctx, keep, known=tuple(found))


def load(folder: Path) -> tuple[Timing, ...]:
    """Return the times that were taken so far."""
    if not (folder / _TIMES).exists():
        return ()
    return _TIMINGS.validate_python(read_json(folder / _TIMES))
