"""Warm-up of a worker: compile or load the methods' kernels, one method at a time."""

from __future__ import annotations

import queue
from pathlib import Path

import numpy as np
import pandas as pd

from engine.core.parameters import Float
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.kernels.compilation.small_tables import prefer_kernels
from engine.methods import methods
from engine.methods.default import DEFAULT_MIXED_METHODS, DEFAULT_NUMERIC_METHODS
from engine.pipeline.compare import compare
from engine.pipeline.plan import Plan


def warm_up_kernels(job_folder_queue: queue.SimpleQueue[Path]) -> None:
    """Compile or load the kernels of all methods, until a job arrives."""
    for name in methods_to_warm_up():
        if not job_folder_queue.empty():
            return
        warm_up_method(name)


def methods_to_warm_up() -> tuple[str, ...]:
    """Return the ids of all methods, first those that the dashboard proposes."""
    proposed = (*DEFAULT_NUMERIC_METHODS, *DEFAULT_MIXED_METHODS)
    return tuple(dict.fromkeys((*proposed, *methods)))


def warm_up_method(name: str) -> None:
    """Run a method on 24 records, which loads its kernels.

    The first call of a kernel reads it from the cache or, on a fresh machine,
    compiles it for seconds: better now than after a click.
    """
    values = np.random.default_rng(0).normal(size=(24, 2))
    columns = ["a"] if methods.info(name).traits.univariate else ["a", "b"]
    frame = pd.DataFrame(values[:, : len(columns)], columns=columns)
    schema = Schema(
        tuple(Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in columns)
    )
    with prefer_kernels():
        compare([_minimal_plan(name)], Table.from_frame(frame, schema))


def _minimal_plan(name: str) -> Plan:
    """Return a plan that calls all of a method's kernels and takes no time."""
    info = methods.info(name)
    parameters = {
        each.name: each.low
        for each in info.parameters
        if isinstance(each, Float) and each.name == info.traits.time_budget
    }
    return Plan(method=name, k=3, parameters=parameters)
