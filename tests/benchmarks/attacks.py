"""What releases give away, alone and together: rates, seconds, and memory."""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import sample_data
from engine import Plan, read_table, run
from engine.analysis.attacks import AttackScene, Knowledge, attacks
from engine.analysis.attacks.run import run_attacks
from engine.analysis.composition.compose import compose_releases
from engine.analysis.releases.released import ReleaseWithOrigins
from engine.core.typing import Integers
from engine.data.table import Table
from tests.benchmarks import data
from tests.benchmarks.smoke import size

PEOPLE = size(10_000, 400)
"""Records on which all attacks are to take less than a minute."""

TOGETHER = size(((10_000, 5), (1_000_000, 2)), ((400, 3), (2_000, 2)))
"""Records and releases of compositions: under 10 s, and under two minutes."""

NAMES = ("a", "b", "c")


def normal(n: int) -> Table:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((n, 3)).cumsum(axis=1), columns=NAMES)
    return read_table(frame.assign(secret=rng.integers(0, 8, n).astype(str)))


def sample() -> tuple[Table, Plan]:
    table = sample_data.load()
    return table, Plan(k=3, quasi_identifiers=table.schema.quasi_identifiers)


def numbers(path: Path) -> tuple[Table, Plan]:
    table = read_table(path)
    return table, Plan(k=3, quasi_identifiers=tuple(map(str, table.frame.columns)))


def scene(table: Table, plan: Plan) -> AttackScene:
    outcome = run(plan, table)
    names, known = (
        outcome.plan.quasi_identifiers,
        ReleaseWithOrigins.from_outcome(outcome),
    )
    return AttackScene(table, known, Knowledge(names), outcome.plan.confidential)


def rates(title: str, table: Table, plan: Plan) -> None:
    """Print what each attack on mdav's groups of three comes to."""
    known = scene(table, plan)
    for name in attacks:
        clock = time.process_time()
        (found,) = run_attacks(known, [name])
        took = time.process_time() - clock
        if not found.attempts:
            print(
                f"| {title} | {name} | - | - | - | {took:.2f} | {found.verdict_text} |"
            )
            continue
        low, high = found.interval
        print(
            f"| {title} | {name} | {100 * found.rate:.1f} "
            f"| {100 * low:.1f} to {100 * high:.1f} | {100 * found.control:.1f} "
            f"| {took:.2f} | {found.grade} |",
            flush=True,
        )


def line(n: int, releases: int) -> list[Integers]:
    """Groups along a line, each time of another size and with a few records moved."""
    rng = np.random.default_rng(1)
    found = []
    for k in range(3, 3 + releases):
        place = np.arange(n)
        some = rng.choice(n, n // 100, replace=False)
        place[some] = rng.permutation(some)
        found.append(np.minimum(place // k, n // k - 1).astype(np.int64))
    return found


def drawn(n: int, releases: int) -> list[Integers]:
    """Groups that have nothing in common."""
    rng = np.random.default_rng(2)
    sizes = range(3, 3 + releases)
    return [np.minimum(rng.permutation(n) // k, n // k - 1) for k in sizes]


def grouped(n: int, releases: int) -> list[Integers]:
    """Groups of mdav."""
    table = normal(n)
    plans = [Plan(k=k, quasi_identifiers=NAMES) for k in range(3, 3 + releases)]
    return [run(plan, table).partition.labels for plan in plans]


def released(table: Table, labels: Sequence[Integers]) -> list[ReleaseWithOrigins]:
    rows = np.arange(table.n_records)
    return [
        ReleaseWithOrigins(
            f"release {place}",
            table.frame[list(NAMES)].groupby(groups).transform("mean"),
            rows,
            groups,
        )
        for place, groups in enumerate(labels)
    ]


def together(n: int, releases: int, groups: str) -> None:
    """Print what a composition finds and takes; in a process of its own."""
    makers: dict[str, Callable[[int, int], list[Integers]]]
    makers = {"along a line": line, "drawn": drawn, "mdav": grouped}
    small = normal(300)
    compose_releases(small, released(small, line(300, 3)), NAMES)  # compiles
    table = normal(n)
    files = released(table, makers[groups](n, releases))
    before, clock = time.perf_counter(), time.process_time()
    found = compose_releases(table, files, NAMES)
    seconds, wall = time.process_time() - clock, time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"| {n:,} | {releases} | {groups} | {found.recovered.sum():,} "
        f"| {found.bounded.sum():,} | {found.safe_records.sum():,} | {seconds:.1f} "
        f"| {wall:.1f} | {peak:.2f} |",
        flush=True,
    )


def main() -> None:
    print("mdav, k = 3, z-scored; rates in per cent, seconds of the processor.\n")
    print("| table | attack | rate | 95 % | control | s | verdict |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    rates("sample", *sample())
    folder = data.casc_folder()
    for name in ("census", "tarragona") if folder is not None else ():
        rates(name, *numbers(folder / f"{name}.csv"))
    table, plan = (
        normal(PEOPLE),
        Plan(quasi_identifiers=NAMES, confidential=("secret",)),
    )
    known, before, clock = scene(table, plan), time.perf_counter(), time.process_time()
    run_attacks(known)
    print(
        f"\nAll attacks on {PEOPLE:,} records: {time.process_time() - clock:.1f} s of "
        f"the processor, {time.perf_counter() - before:.1f} s in all, on "
        f"{os.cpu_count()} processors.\n"
    )
    print("Several releases, three columns; memory is of the whole process.\n")
    print(
        "| records | releases | groups | recovered | bounded | safe | s of the "
        "processor | s | GiB |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        flush=True,
    )
    for n, releases in TOGETHER:
        kinds = ["along a line", "drawn"] + (["mdav"] if releases > 2 else [])
        for groups in kinds:
            apart = multiprocessing.get_context("spawn")
            task = apart.Process(target=together, args=(n, releases, groups))
            task.start()
            task.join()
            if task.exitcode:
                raise RuntimeError(f"the composition of {n:,} records failed")
