"""Near-optimal groups: refined and iterated beside LB1, and what refining costs."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.bounds import edge_cover_bound
from engine.core.typing import Values
from engine.methods.base import make_method
from engine.points.base import Points
from tests.benchmarks import data
from tests.benchmarks.smoke import size
from tests.benchmarks.speed import SHAPES, memory

CELLS = [
    (name, k) for name in ("tarragona", "census") for k in size((3, 4, 5, 10), (3,))
]

SECONDS, SEEDS = size(30.0, 0.1), range(size(5, 2))
"""What iterated gets; all cells together then take twenty minutes."""

RECORDS, K = size(100_000, 600), 5


def zscored(path: Path) -> Values:
    X = np.loadtxt(path, delimiter=",", skiprows=1)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))


def loss(X: Values, labels: NDArray[np.int64]) -> float:
    """Return IL in per cent."""
    sizes = np.bincount(labels)
    means = np.stack([np.bincount(labels, x) / sizes for x in X.T], axis=1)
    rest = np.square(X - means[labels]).sum()
    return float(100.0 * rest / np.square(X - X.mean(axis=0)).sum())


def run(method: str, X: Values, k: int, **parameters: object) -> tuple[float, float]:
    """Return IL in per cent and seconds of the processor."""
    seed = int(str(parameters.pop("seed", 0)))
    grouper = make_method(method, k, parameters, seed)
    clock = time.process_time()
    labels = grouper.partition(Points.from_array(X)).labels
    return loss(X, labels), time.process_time() - clock


def cells(folder: Path) -> None:
    print(
        f"IL in per cent of z-scored values; iterated for {SECONDS:.0f} s with seeds "
        f"{SEEDS[0]} to {SEEDS[-1]}.\n"
    )
    print(
        "| table | k | mdav | refined | ms | iterated median | best | worst | LB1 |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for name, k in CELLS:
        X = zscored(folder / f"{name}.csv")
        run("iterated", X, k, iterations=1)  # compiles
        mdav, _ = run("mdav", X, k)
        refined, seconds = min(run("refined", X, k) for _ in range(5))
        costs = [run("iterated", X, k, seconds=SECONDS, seed=seed)[0] for seed in SEEDS]
        print(
            f"| {name} | {k} | {mdav:.2f} | {refined:.2f} | {1000 * seconds:.0f} "
            f"| {statistics.median(costs):.4f} | {min(costs):.4f} | {max(costs):.4f} "
            f"| {edge_cover_bound(X, k).per_cent:.2f} |",
            flush=True,
        )


def large() -> None:
    print(f"\n{RECORDS:,} records x 10 attributes, k = {K}: refined, mdav included.\n")
    print(
        "| data | mdav IL | refined IL | less by | mdav s | refined s "
        "| refining / mdav | memory, refined / mdav |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    run("refined", data.normal(5000), K)  # compiles
    for shape, make in SHAPES.items():
        X = make(RECORDS)
        before, plain = run("mdav", X, K)
        after, whole = run("refined", X, K)
        memory_ratio = memory("refined", RECORDS, shape) / memory(
            "mdav", RECORDS, shape
        )
        less = 100.0 * (1.0 - after / before)
        print(
            f"| {shape} | {before:.4f} | {after:.4f} | {less:.1f} % | {plain:.2f} "
            f"| {whole:.2f} | {(whole - plain) / plain:.2f} | {memory_ratio:.2f} |",
            flush=True,
        )


def main() -> None:
    folder = data.casc_folder()
    if folder is None:
        print("The CASC tables are not there: name their folder in COTERIE_CASC.")
    else:
        cells(folder)
    large()
