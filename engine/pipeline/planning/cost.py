"""Expected seconds of runs, bounds and measures, by costs and the machine's speed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from engine.bounds.choose_bound import MAX_DEFAULT_LB1_RECORDS
from engine.core.parallel import max_run_threads
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.measures import measures
from engine.methods.base import methods
from engine.methods.descriptions.info import MethodInfo
from engine.methods.search.refined import MAX_REASSIGNED_K, MAX_REASSIGNED_RECORDS
from engine.persons.effort import POLISH_STEP_FACTOR
from engine.pipeline.plan import Plan
from engine.pipeline.planning.seeds import seeds_of_plan
from engine.points.branches import MAX_CATEGORY_AXES

MAX_LB1_PAIR_VALUES = 5e9
"""Values of pairs of records that may be compared for LB1 of wide points; for LB0, ten
times as many."""

LB1_SECONDS, LB0_SECONDS = 6e-11, 2e-11
"""Seconds to compare one of these values for LB1, and for LB0."""

LB1_SEARCH, LB0_SEARCH = 2e-6, 1e-6
"""Seconds of a search for near records, for each coordinate of a record."""

LB0_PART_RECORDS = 16_384
"""Records of each part whose neighbours LB0 looks for in parallel."""

N_BOUND_COORDINATES = 8
"""Coordinates that a bound looks at where all are too many."""

RUN_START_SECONDS, MEASURING_SECONDS_PER_VALUE = 0.015, 6e-7
"""Seconds that all else of a run takes: once, and for each value of the table."""

REASSIGNMENT_FACTOR = 2.8
"""How much longer a search takes where groups are dealt anew."""

READ_BACK_SECONDS_PER_VALUE = 5e-7
"""Seconds that reading a release takes before it is measured, for each value."""

HEALING_FACTOR = 1.6
"""How much longer a method takes that works on parts and then across their borders."""

PERSON_SECONDS = {"one": (1e-3, 1.5, 6e-5), "all": (5e-3, 12.0, 3e-5)}
"""Seconds of a search for groups of persons, by what an intruder knows: for each record
of a small table, at most of all these, and for each record beside."""

_REFERENCE_SECONDS = 0.0013
"""Time of the probe below on the machine of reference."""


@cache
def machine_slowdown() -> float:
    """Return this machine's time for a fixed task, divided by a reference machine's.

    Measured once per process with a fixed piece of arithmetic, in seconds of the
    processor: what else it is busy with now it need not be during the run. The fastest
    of eight tries, because others only ever add time. It asks for no memory, which
    takes longer or less long by what the process did before.
    """
    values = np.linspace(0.0, 1.0, 20_000).reshape(2_000, 10)
    room, best = np.empty_like(values), float("inf")
    # Windows counts a thread's time in steps that are longer than a try.
    clock = time.perf_counter if sys.platform == "win32" else time.thread_time
    for _ in range(8):
        started = clock()
        for _ in range(40):
            np.subtract(values, 0.3, out=room)
            np.square(room, out=room)
            room.sum(axis=1).argmax()
        best = min(best, clock() - started)
    return best / _REFERENCE_SECONDS


def expected_seconds(
    plan: Plan, table: Table, with_bound: bool = True, n_threads: int | None = None
) -> float:
    """Estimate the seconds of a run with all its seeds, with or without a lower bound.

    On a machine that does nothing else, nearly always right to a factor of two. With
    strata, records are taken as spread evenly.

    Parameters
    ----------
    with_bound : bool
        Whether a lower bound is worked out; plans of one k share it.
    n_threads : int, optional
        Threads that group; those of this machine if left out.
    """
    n_threads = n_threads or max_run_threads()
    seconds = len(seeds_of_plan(plan)) * _of_one_seed(plan, table, n_threads)
    searches = methods.info(plan.method).traits.time_budget
    if searches and not plan.parameters.get("iterations"):
        return seconds
    return seconds + (expected_bound_seconds(plan, table) if with_bound else 0.0)


def _of_one_seed(plan: Plan, table: Table, n_threads: int) -> float:
    info = methods.info(plan.method)
    traits = info.traits
    if traits.time_budget and not plan.parameters.get("iterations"):
        return float(plan.parameters[traits.time_budget])  # shared by all parts
    names = plan.quasi_identifiers or table.schema.quasi_identifiers
    p = max(1, len(names))
    q = estimate_n_coordinates(plan, table)
    records, parts = _stratum_shape(plan, table)
    methods_run = [info, methods.info("refined")] if plan.polish else [info]
    seconds = sum(
        _grouping_seconds(each, records, p, plan.k, q, n_threads)
        for each in methods_run
    )
    if plan.person_columns:
        each, max_seconds, beside = PERSON_SECONDS[plan.intruder_knows]
        times = POLISH_STEP_FACTOR if plan.polish else 1
        seconds += times * min(max_seconds, each * records) + beside * records
    seconds += RUN_START_SECONDS / parts + MEASURING_SECONDS_PER_VALUE * records * p
    return float(seconds * parts * machine_slowdown())


def _grouping_seconds(
    info: MethodInfo, records: int, p: int, k: int, q: int, n_threads: int
) -> float:
    """Estimate the seconds of a method on the reference machine, without measures."""
    cost = info.traits.cost
    seconds = cost.expected_seconds(records, p, k, q)
    tasks = cost.parallel_tasks(records)
    # Measured where groups are dealt anew, of numbers by `refined` only.
    deals = info.id == "refined" or (info.id == "blocked" and q > p)
    if deals and (records > MAX_REASSIGNED_RECORDS or k > MAX_REASSIGNED_K):
        seconds /= REASSIGNMENT_FACTOR
    return seconds * (HEALING_FACTOR if tasks > 1 else 1.0) / min(n_threads, tasks)


def expected_seconds_each(plans: Sequence[Plan], table: Table) -> list[float]:
    """Estimate each run's seconds; runs of equal k and kind of method share a bound.

    The first of them works it out.
    """
    bound_keys: set[tuple[int, bool, bool]] = set()
    seconds = []
    for plan in plans:
        traits = methods.info(plan.method).traits
        key = plan.k, traits.per_attribute, traits.probabilistic
        seconds.append(expected_seconds(plan, table, with_bound=key not in bound_keys))
        bound_keys.add(key)
    return seconds


def expected_measuring_seconds(
    measure_ids: Iterable[str], n_records: int, n_attributes: int
) -> float:
    """Estimate the seconds that measures of one release take.

    Parameters
    ----------
    measure_ids : iterable of str
        Identifiers.
    n_records, n_attributes : int
        Records and quasi-identifiers.
    """
    each = (
        measures.info(name).effort.expected_seconds(n_records, n_attributes)
        for name in measure_ids
    )
    return (
        sum(each) + READ_BACK_SECONDS_PER_VALUE * n_records * n_attributes
    ) * machine_slowdown()


def expected_bound_seconds(plan: Plan, table: Table) -> float:
    """Estimate the seconds of :func:`engine.pipeline.grouping.bound.lower_bound`.

    Constants as measured: a search for near records, and of mixed records, for which
    it rules out little, all pairs.
    """
    names = plan.quasi_identifiers or table.schema.quasi_identifiers
    traits = methods.info(plan.method).traits
    if traits.per_attribute or traits.probabilistic:
        return 0.0  # of each column alone, or none at all
    q = estimate_n_coordinates(plan, table)
    records, parts = _stratum_shape(plan, table)
    pairs = float(records) * records * q if q > len(names) else 0.0
    if pairs <= MAX_LB1_PAIR_VALUES and records <= MAX_DEFAULT_LB1_RECORDS:
        search, each, side = LB1_SEARCH, LB1_SECONDS, 1
    else:
        search, each, side = LB0_SEARCH, LB0_SECONDS, -(-records // LB0_PART_RECORDS)
    if pairs > 10 * MAX_LB1_PAIR_VALUES:
        pairs = 0.0
    seconds = search * records * min(q, N_BOUND_COORDINATES) + each * pairs
    return parts * seconds / min(max_run_threads(), side) * machine_slowdown()


def _stratum_shape(plan: Plan, table: Table) -> tuple[int, int]:
    """Return the mean number of records of a stratum, and the number of strata."""
    columns = [
        column
        for column in plan.strata_columns(table.schema.names)
        if column in table.schema
    ]
    parts = 1
    if columns:
        parts = max(1, len(table.frame[columns].drop_duplicates()))
    return max(1, table.n_records // parts), parts


def estimate_n_coordinates(plan: Plan, table: Table) -> int:
    """Estimate how many coordinates the points of a table have."""
    names = plan.quasi_identifiers or table.schema.quasi_identifiers
    return max(1, sum(_estimate_coordinates(plan, table, name) for name in names))


def _estimate_coordinates(plan: Plan, table: Table, name: str) -> int:
    """Return how many coordinates a quasi-identifier has, or nearly so."""
    column = table.schema[name]
    if plan.kinds.get(name, column.kind) is not Kind.NOMINAL:
        return 1
    rows = plan.hierarchies.get(name)
    if rows is None and column.hierarchy is not None:
        rows = column.hierarchy.rows
    if rows is not None:
        n_coordinates = sum(len(set(level)) for level in zip(*rows, strict=True)) - 1
    else:
        n_coordinates = table.n_distinct(name)
    return max(1, min(n_coordinates, MAX_CATEGORY_AXES))
