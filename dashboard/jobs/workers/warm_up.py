"""Warm-up of a worker: compile or load the methods' kernels, one method at a time."""

from __future__ import annotations

import queue
from collections.abc import Iterator
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
    warmed_methods = warm_up_by_method()
    while job_folder_queue.empty() and next(warmed_methods, None):
        pass


def warm_up_by_method() -> Iterator[str]:
    """Run one method after another on 24 records; yield which kernels are loaded by it.

    The first call of a kernel reads it from the cache or, on a fresh machine,
    compiles it for seconds: better now than after a click. The methods that the
    dashboard proposes come first.

    Yields
    ------
    str
        Id of the method that has run.
    """
    values = np.random.default_rng(0).normal(size=(24, 2))
    for name in dict.fromkeys(
        (*DEFAULT_NUMERIC_METHODS, *DEFAULT_MIXED_METHODS, *methods)
    ):
        columns = ["a"] if methods.info(name).traits.univariate else ["a", "b"]
        frame = pd.DataFrame(values[:, : len(columns)], columns=columns)
        schema = Schema(
            tuple(Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in columns)
        )
        with prefer_kernels():
            compare([_minimal_plan(name)], Table.from_frame(frame, schema))
        yield name


def _minimal_plan(name: str) -> Plan:
    """Return a plan that calls all of a method's kernels and takes no time."""
    info = methods.info(name)
    parameters = {
        each.name: each.low
        for each in info.parameters
        if isinstance(each, Float) and each.name == info.traits.time_budget
    }
    return Plan(method=name, k=3, parameters=parameters)
