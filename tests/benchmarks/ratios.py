"""Processor seconds of methods, bounds, files and measures in units of other libraries.

A yardstick is work that no one here writes; it is measured in turn with what it stands
beside, so that a slow machine slows both. Both are the shortest of several tries. The
file ``ratios.json`` holds what came out when it was last written, with
``python -m tests.benchmarks --write FILE``; ``--against FILE`` says what has become
slower since.
"""

import io
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from engine import Plan, read_table, run
from engine.bounds import edge_cover_bound, nearest_bound
from engine.data.propose import suggest_columns
from engine.kernels.compilation import _jit
from engine.methods import MethodInfo, methods
from engine.methods.base import make_method
from engine.pipeline.evaluate import evaluate
from engine.points.base import Points
from engine.points.encode import encode_points
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from tests.benchmarks import data
from tests.benchmarks.data import NAMES, people
from tests.benchmarks.smoke import size

MAX_RATIO_RISE = 1.15
"""A ratio that has risen by more than this factor is reported."""

TRIES = size(2, 1)
MIN_TRY_SECONDS = size(0.04, 0.0)
"""Short work is repeated until a try takes so long."""

MIN_KERNEL_SHARE = 0.1
"""Share of a path's seconds from which on a kernel has a ratio of its own."""

K = 5
METHOD_RECORDS = size(500, 60)
LARGE_RECORDS = size(30_000, 300)
FILE_RECORDS = size(20_000, 300)

Work = Callable[[], object]


def _all_knn() -> Work:
    X = data.normal(size(4_000, 100), 6)
    return lambda: cKDTree(X).query(X, K)


def _sort() -> Work:
    values = np.random.default_rng(0).random(size(500_000, 1_000))
    # The other kinds are vectorised, as far as the processor allows.
    return lambda: np.sort(values, kind="stable")


def _product() -> Work:
    matrix = np.random.default_rng(0).random((size(400, 20), size(400, 20)))
    return lambda: matrix @ matrix


def _read_csv() -> Work:
    content = data.table(size(5_000, 100)).to_csv(index=False).encode()
    return lambda: pd.read_csv(io.BytesIO(content))


YARDSTICKS: dict[str, Callable[[], Work]] = {
    "all-kNN": _all_knn,
    "sort": _sort,
    "matrix product": _product,
    "read_csv": _read_csv,
}
"""SciPy's cKDTree, NumPy's sort and matrix product, and pandas.read_csv."""

FAMILY_YARDSTICKS = {"univariate": "sort", "fuzzy": "matrix product"}
"""Of methods that are not mostly a search for near records."""


def _methods() -> Iterator[tuple[str, str, Work]]:
    """Yield every method without a time budget, on few records."""
    X = data.heavy(METHOD_RECORDS, 4)
    mixed = encode_points(people(METHOD_RECORDS), NAMES)

    def grouping(info: MethodInfo, points: Points) -> Work:
        return lambda: make_method(info.id, K).partition(points)

    for info in methods.infos():
        if info.traits.time_budget:
            continue
        columns = X[:, :1].copy() if info.traits.univariate else X
        yardstick = FAMILY_YARDSTICKS.get(info.family, "all-kNN")
        yield (
            f"{info.id}: numbers",
            yardstick,
            grouping(info, Points.from_array(columns)),
        )
        if info.family == "mixed":
            yield f"{info.id}: mixed", yardstick, grouping(info, mixed)


def _large() -> Iterator[tuple[str, str, Work]]:
    """Yield what large tables are grouped with, and their bounds."""
    X = data.clustered(LARGE_RECORDS)
    tables = {
        "numbers": Points.from_array(X),
        "mixed": encode_points(people(LARGE_RECORDS), NAMES),
    }
    for what, points in tables.items():
        for name in ("mdav", "blocked"):
            method = make_method(name, K)
            yield (
                f"{name}: many, {what}",
                "all-kNN",
                lambda method=method, points=points: method.partition(points),  # type: ignore[misc]
            )
    some = tables["mixed"].subset(np.arange(LARGE_RECORDS // 10))
    deal = make_method("refined", K, {"deal": "always"})
    yield "refined: mixed, dealt anew", "all-kNN", lambda: deal.partition(some)
    yield "LB0", "all-kNN", lambda: nearest_bound(X, K)
    yield "LB1", "all-kNN", lambda: edge_cover_bound(X, K)


def _files(folder: Path) -> Iterator[tuple[str, str, Work]]:
    """Yield the way from a file to a report's figures."""
    frame = data.table(FILE_RECORDS)
    for suffix in ("csv", "parquet"):
        path = folder / f"made.{suffix}"
        if suffix == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        yield f"read {suffix}", "read_csv", lambda path=path: read_table(path)  # type: ignore[misc]
    read = read_table(folder / "made.parquet")
    yield "propose", "read_csv", lambda: suggest_columns(read.frame)
    numbers = [f"v{j}" for j in range(10)]
    roles = dict.fromkeys(numbers, "quasi-identifier")
    roles |= dict.fromkeys(("region", "visit"), "other")
    typed_table = read.assign(
        roles=roles | {"person_id": "identifier", "diagnosis": "confidential"},
        kinds=dict.fromkeys(numbers, "continuous"),
    )
    plan = Plan(method="zscore-projection", k=K)
    yield "run", "sort", lambda: run(plan, typed_table)
    outcome = run(plan, typed_table)
    yield "all measures", "all-kNN", lambda: evaluate(outcome, typed_table)
    yield (
        "write and check",
        "read_csv",
        lambda: release_bytes_and_checks(outcome, typed_table, WritingOptions()),
    )


@contextmanager
def _timed_kernels() -> Iterator[dict[str, float]]:
    """Yield the processor seconds of each kernel that Python calls meanwhile."""
    seconds: dict[str, float] = defaultdict(float)
    call = _jit.Kernel.__call__

    def timed(self: Any, *arguments: Any) -> Any:
        clock = time.thread_time()
        try:
            return call(self, *arguments)
        finally:
            seconds[self.__name__] += time.thread_time() - clock

    _jit.Kernel.__call__ = timed  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        _jit.Kernel.__call__ = call  # type: ignore[method-assign]


def _repeats(work: Work) -> int:
    """Return how often a try repeats the work; what is compiled, is compiled here."""
    work()
    clock = time.process_time()
    work()
    return max(1, int(MIN_TRY_SECONDS / max(time.process_time() - clock, 1e-6)))


def _seconds(work: Work, repeats: int) -> float:
    clock = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - clock) / repeats


def measure_ratios() -> Iterator[tuple[str, str, float]]:
    """Yield the name of a path or of one of its kernels, its yardstick and ratio."""
    yardsticks = {name: make() for name, make in YARDSTICKS.items()}
    repeats = {name: _repeats(work) for name, work in yardsticks.items()}
    with tempfile.TemporaryDirectory() as folder, _timed_kernels() as kernels:
        for paths in (_methods(), _large(), _files(Path(folder))):
            for name, yardstick, work in paths:
                times, best, unit = _repeats(work), np.inf, np.inf
                inside: dict[str, float] = {}
                for _ in range(TRIES):
                    unit = min(
                        unit, _seconds(yardsticks[yardstick], repeats[yardstick])
                    )
                    kernels.clear()
                    best = min(best, _seconds(work, times))
                    for kernel, took in kernels.items():
                        inside[kernel] = min(inside.get(kernel, np.inf), took / times)
                yield name, yardstick, best / unit
                for kernel, took in sorted(inside.items()):
                    if took >= MIN_KERNEL_SHARE * best:
                        yield f"{name}: {kernel}", yardstick, took / unit


def main() -> None:
    print("| work | yardstick | ratio |\n| --- | --- | --- |")
    for name, yardstick, ratio in measure_ratios():
        print(f"| {name} | {yardstick} | {ratio:.3g} |", flush=True)


def write_ratios(path: Path) -> None:
    """Measure all ratios, and write them to a file."""
    measured = {
        name: {"yardstick": yardstick, "ratio": float(f"{ratio:.3g}")}
        for name, yardstick, ratio in measure_ratios()
    }
    path.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


def compare_ratios(path: Path) -> list[str]:
    """Return a line for each ratio above that of a file, and for each it has not.

    Parameters
    ----------
    path : Path
        Written by :func:`write_ratios`.
    """
    before = json.loads(path.read_text(encoding="utf-8"))
    slower, measured_names = list[str](), set[str]()
    for name, yardstick, ratio in measure_ratios():
        measured_names.add(name)
        reference = before.get(name)
        if reference is not None and ratio > MAX_RATIO_RISE * reference["ratio"]:
            rise = ratio / reference["ratio"]
            slower.append(
                f"{name}: {ratio:.3g} times {yardstick}, {rise:.2f} times as much as "
                f"the {reference['ratio']:.3g} in {path.name}"
            )
    # A kernel comes and goes where it takes nearly MIN_KERNEL_SHARE of its path.
    gone = [
        name for name in before if not {name, name.rpartition(": ")[0]} & measured_names
    ]
    return slower + [f"{name}: not measured any more" for name in gone]
