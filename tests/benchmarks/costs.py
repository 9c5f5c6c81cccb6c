"""What runs are expected to take beside what they take, and the powers behind it.

Every method groups tables of several sizes and shapes. The shortest of some runs
counts, by the clock or of the processor, whichever is less, divided by how much slower
the machine is than that of reference. Through the logarithms of these times goes, for
each method, a plane: its slopes are the powers that the method declares, and its height
the microseconds.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine import Plan, run
from engine.core.context import RunContext
from engine.core.errors import Cancelled, EngineError
from engine.methods import MethodInfo, methods
from engine.methods.base import make_method
from engine.methods.descriptions.info import RunCost
from engine.pipeline.planning.cost import expected_seconds, machine_slowdown
from engine.points.base import Points
from engine.points.encode import encode_points
from tests.benchmarks import data
from tests.benchmarks.data import NAMES, drawn_apart, people
from tests.benchmarks.smoke import size

SETTINGS: Sequence[tuple[str, int, int]] = size(
    (
        ("people", 250, 5),
        ("people", 1000, 5),
        ("people", 4000, 5),
        ("people", 8000, 5),
        ("people", 20000, 5),
        ("drawn apart", 8000, 5),
        ("people", 4000, 15),
        ("normal 10", 1000, 5),
        ("normal 10", 8000, 5),
        ("clustered 4", 8000, 5),
        ("heavy 4", 8000, 3),
        ("normal 3", 20000, 5),
    ),
    (("people", 60, 5), ("normal 3", 60, 3)),
)
"""Table, records and k: columns hang together or not, with categories or without."""

LONGEST = size(4.0, 0.05)
"""Seconds beyond which a method is not tried with more records."""

LEAST = 0.004
"""Seconds below which it is the clock that is measured."""

FACTOR = 2.0
"""By how much an estimate may be wrong."""

PRIOR = {"n^2 p / k": (1.6, -1.0), "n^2 p": (1.8, 0.0), "n^3 p / k": (2.5, -1.0)}
"""Powers of records and of k that stand where too few runs say otherwise."""


@dataclass(frozen=True)
class Timed:
    """How long a method took."""

    n: int
    p: int
    q: int
    k: int
    seconds: float


def points_of(name: str, n: int) -> Points:
    """Return one of the tables."""
    if name in ("people", "drawn apart"):
        make = people if name == "people" else drawn_apart
        return encode_points(make(n), NAMES)
    shape, width = name.split()
    return Points.from_array(getattr(data, shape)(n, int(width)))


def grouping(info: MethodInfo, points: Points, k: int) -> float:
    """Return the least seconds of some runs; infinity if one takes far too long."""
    parts = [points]
    if info.traits.per_attribute:
        parts = [points.select_attributes([j]) for j in range(points.n_attributes)]
    best_seconds = math.inf
    for _ in range(3):
        took = _taken()
        ctx = RunContext(cancelled=lambda took=took: took() > 4 * LONGEST)  # type: ignore[misc]
        try:
            for part in parts:
                make_method(info.id, k).partition(part, ctx)
        except Cancelled:
            return math.inf
        best_seconds = min(best_seconds, took())
        if best_seconds > 1.0:
            break
    return best_seconds


def _taken() -> Callable[[], float]:
    """Return what tells the seconds since now: less of the clock's and the processor's.

    Other work on the machine adds to the one, threads that wait for each other to the
    other.
    """
    clock, processor = time.perf_counter(), time.process_time()
    return lambda: min(time.perf_counter() - clock, time.process_time() - processor)


def runs_of(info: MethodInfo) -> Iterator[Timed]:
    """Yield how long a method takes on each table that is not too large for it."""
    seconds_by_size: dict[int, float] = {}
    for name, n, k in SETTINGS:
        power = info.traits.cost.records
        guess = max(
            (t * (n / m) ** power for m, t in seconds_by_size.items()), default=0.0
        )
        if guess > LONGEST:
            continue
        points = points_of(name, n)
        try:
            seconds = grouping(info, points, k)
        except EngineError:  # too many records for it
            continue
        seconds_by_size[n] = max(seconds, seconds_by_size.get(n, 0.0))
        if math.isfinite(seconds):
            timing = Timed(n, points.n_attributes, points.X.shape[1], k, seconds)
            yield timing


def fitted(info: MethodInfo, runs: Sequence[Timed]) -> RunCost:
    """Return the plane through the logarithms, drawn to what is usual where few are."""
    records, k = PRIOR.get(info.traits.cost.growth, (1.0, 0.0))
    usual = np.array([0.0, records, 1.0, 0.3, k])
    trust = np.diag([0.0, 0.3, 0.3, 0.1, 0.3])
    rows = [
        (1.0, math.log(r.n), math.log(r.p), math.log(r.q / r.p), math.log(r.k))
        for r in runs
    ]
    A, y = np.array(rows), np.log([r.seconds / machine_slowdown() for r in runs])
    powers = np.linalg.solve(A.T @ A + trust, A.T @ y + trust @ usual).round(2)
    height = float(np.exp((y - A[:, 1:] @ powers[1:]).mean()))
    return RunCost(info.traits.cost.growth, 1e6 * height, *powers[1:].tolist())


def main() -> None:
    """Print the tables."""
    names = [
        info
        for info in methods.infos()
        if not info.traits.univariate and not info.traits.time_budget
    ]
    one_by_growth = {info.traits.cost.growth: info for info in names}
    names = size(names, list(one_by_growth.values()))
    print(
        f"This machine takes {machine_slowdown():.2f} times as long as the reference."
    )
    print("\n| method | runs | expected / measured | fitted |")
    print("| --- | --- | --- | --- |")
    for info in names:
        grouping(info, points_of("people", 60), 5)  # compiled before it is timed
        runs = [figures for figures in runs_of(info) if figures.seconds >= LEAST]
        if not runs:
            print(f"| {info.id} | 0 | | |", flush=True)
            continue
        cost, factor = info.traits.cost, machine_slowdown()
        ratios = [
            cost.expected_seconds(r.n, r.p, r.k, r.q) * factor / r.seconds for r in runs
        ]
        figures = fitted(info, runs)
        print(
            f"| {info.id} | {len(runs)} | {min(ratios):.2f} to {max(ratios):.2f} | "
            f"{figures.microseconds:.3g}, {figures.records:g}, {figures.attributes:g}, "
            f"{figures.coordinates:g}, {figures.size:g} |",
            flush=True,
        )
    whole(names)


def whole(infos: Sequence[MethodInfo]) -> None:
    """Print whole runs, with measures and bound, of mixed records."""
    print("\n| method | records | expected s | s | ratio |")
    print("| --- | --- | --- | --- | --- |")
    good = count = 0
    for n in size((2_000, 8_000, 20_000), (60,)):
        for make in (people, drawn_apart):
            table = make(n)
            for info in infos:
                plan = Plan(method=info.id, k=5, quasi_identifiers=NAMES)
                expected = expected_seconds(plan, table)
                if expected > 2 * LONGEST:
                    continue
                took = math.inf
                try:
                    for _ in range(2):
                        since = _taken()
                        run(plan, table)
                        took = min(took, since())
                except EngineError:  # too many records for it
                    continue
                count += 1
                good += 1 / FACTOR <= expected / took <= FACTOR
                print(
                    f"| {info.id} | {n:,} | {expected:.2f} | {took:.2f} "
                    f"| {expected / took:.2f} |",
                    flush=True,
                )
    print(f"\n{good} of {count} runs within a factor of {FACTOR:g}.")
