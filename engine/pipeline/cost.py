"""How long a run will take: the method's declared cost times this machine's speed."""

from __future__ import annotations

import time
from functools import cache

import numpy as np

from engine.data.kinds import Kind
from engine.data.table import Table
from engine.methods.base import methods
from engine.pipeline.plan import Plan
from engine.pipeline.seeds import seeds_of
from engine.points.branches import AXES

PAIRS = 5e9
"""Values of pairs of records that may be compared for LB1 of wide points; for LB0, ten
times as many."""

LB1_SECONDS, LB0_SECONDS = 1e-10, 5e-11
"""Time for one of them."""

_REFERENCE_SECONDS = 0.012
"""Time of the probe below on the machine where the methods' costs were measured."""


@cache
def machine_factor() -> float:
    """Return how many times slower this machine is than the reference one.

    Measured once per process with a fixed piece of memory-bound arithmetic; the
    fastest of five tries, because a busy machine only ever adds time.
    """
    values = np.linspace(0.0, 1.0, 400_000).reshape(40_000, 10)
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        for _ in range(4):
            np.square(values - values[0]).sum(axis=1).argmax()
        best = min(best, time.perf_counter() - started)
    return best / _REFERENCE_SECONDS


def expected_seconds(plan: Plan, table: Table) -> float:
    """Return the seconds that the plan's method should take, with all of its seeds.

    Right to an order of magnitude; with strata, records are taken as spread evenly.
    """
    return len(seeds_of(plan)) * _of_one_seed(plan, table)


def _of_one_seed(plan: Plan, table: Table) -> float:
    names = plan.quasi_identifiers or table.schema.quasi_identifiers
    info = methods.info(plan.method)
    p = max(1, len(names))
    if info.family != "mixed":
        p = n_coordinates(plan, table)
    n, parts = table.n_records, 1
    columns = [
        one for one in plan.strata_among(table.schema.names) if one in table.schema
    ]
    if columns:
        parts = max(1, len(table.frame[columns].drop_duplicates()))
    traits = info.traits
    if traits.time_budget and not plan.parameters.get("iterations"):
        return float(plan.parameters[traits.time_budget])  # shared by all parts
    seconds = traits.cost.seconds(max(1, n // parts), p, plan.k)
    if plan.polish:
        search = methods.info("refined").traits.cost
        seconds += search.seconds(max(1, n // parts), p, plan.k)
    return (
        parts * (seconds + _bound_seconds(plan, table, n // parts)) * machine_factor()
    )


def _bound_seconds(plan: Plan, table: Table, n: int) -> float:
    """Return what the lower bound of mixed records takes; of numbers next to nothing.

    Constants as measured, for pairs of values; see
    :func:`engine.pipeline.run.lower_bound`.
    """
    names = plan.quasi_identifiers or table.schema.quasi_identifiers
    p = n_coordinates(plan, table)
    pairs = float(n) * n * p
    if p == len(names) or pairs > 10 * PAIRS:
        return 0.0
    return pairs * (LB1_SECONDS if pairs <= PAIRS else LB0_SECONDS)


def n_coordinates(plan: Plan, table: Table) -> int:
    """Return how many coordinates the points of a table have, or nearly so."""
    names = plan.quasi_identifiers or table.schema.quasi_identifiers
    return max(1, sum(_coordinates(plan, table, name) for name in names))


def _coordinates(plan: Plan, table: Table, name: str) -> int:
    """Return how many coordinates a quasi-identifier has, or nearly so."""
    column = table.schema[name]
    if plan.kinds.get(name, column.kind) is not Kind.NOMINAL:
        return 1
    rows = plan.hierarchies.get(name)
    if rows is None and column.hierarchy is not None:
        rows = column.hierarchy.rows
    if rows is not None:
        found = sum(len(set(level)) for level in zip(*rows, strict=True)) - 1
    else:
        found = table.n_distinct(name)
    return max(1, min(found, AXES))
