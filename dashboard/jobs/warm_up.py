"""Warm-up: a worker reads or compiles every kernel before there is an order."""

from __future__ import annotations

import queue
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.learn.lessons import effort, intruder
from engine.core.parameters import Float
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.compare import compare
from engine.pipeline.plan import Plan

FOR_NUMBERS = ("mdav", "refined", "vmdav")
"""Methods to begin with: the ones that people know, and one that loses less."""

FOR_MIXED = ("mdav", "refined", "mdav-mixed")
"""The same for tables with categories: on points, and with a distance of its own.

All of them keep numbers as numbers.
"""


def warm_up(orders: queue.SimpleQueue[Path]) -> None:
    """Run every method once on a few records, until there is an order.

    The first call of a kernel reads it from the cache or, on a fresh machine,
    compiles it for seconds: better now than after a click. The methods that the
    dashboard proposes come first, and the lessons of the Learn page last.
    """
    values = np.random.default_rng(0).normal(size=(24, 2))
    for name in dict.fromkeys((*FOR_NUMBERS, *FOR_MIXED, *methods)):
        if not orders.empty():
            return
        columns = ["a"] if methods.info(name).traits.univariate else ["a", "b"]
        frame = pd.DataFrame(values[:, : len(columns)], columns=columns)
        schema = Schema(
            tuple(Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in columns)
        )
        compare([_short(name)], Table.from_frame(frame, schema))
    for figures in (effort.bounds, lambda: intruder.attacks(1)):
        if not orders.empty():
            return
        figures()


def _short(name: str) -> Plan:
    """Return a plan that calls all of a method's kernels and takes no time."""
    info = methods.info(name)
    least = {
        each.name: each.low
        for each in info.parameters
        if isinstance(each, Float) and each.name == info.traits.time_budget
    }
    return Plan(method=name, k=3, parameters=least)
