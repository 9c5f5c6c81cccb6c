"""blocked from a hundred thousand to ten million records: cost per record, and loss."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from engine import partition
from engine.core.context import RunContext
from engine.core.parallel import max_run_threads
from engine.core.typing import Values
from tests.benchmarks import data
from tests.benchmarks.smoke import size
from tests.benchmarks.speed import SHAPES, memory

K = 5
SIZES = size((100_000, 300_000, 1_000_000, 3_000_000, 10_000_000), (2_000,))

COMPARED = size(100_000, 2_000)
"""Records on which mdav is run as well."""

MEASURED = 1_000_000
"""Records up to which memory is measured, by a second run."""

ASKED = size(2_000, 100)
"""Records whose neighbours are asked for; the time for all is worked out from that."""


class Row(NamedTuple):
    """What one run took: seconds on the wall and of all cores, distances measured."""

    n: int
    wall: float
    cores: float
    distances: float
    labels: NDArray[np.int64]


def run(X: Values, method: str) -> Row:
    """Return what it takes from array to labels."""
    distances: list[float] = []

    def hear(name: str, value: float) -> None:
        if name == "distances":
            distances.append(value)

    clock, cores = time.perf_counter(), time.process_time()
    labels = partition(X, K, method, "none", ctx=RunContext(hear=hear))
    wall, cores = time.perf_counter() - clock, time.process_time() - cores
    return Row(X.shape[0], wall, cores, sum(distances) / X.shape[0], labels)


def all_neighbours(X: Values) -> float:
    """Return the seconds of all-kNN by SciPy's cKDTree on one core."""
    some = np.random.default_rng(0).permutation(X.shape[0])[:ASKED]
    clock = time.perf_counter()
    tree = cKDTree(X)
    built = time.perf_counter()
    tree.query(X[some], K)
    return built - clock + (time.perf_counter() - built) * X.shape[0] / ASKED


def loss(X: Values, labels: NDArray[np.int64]) -> float:
    """Return IL in per cent, attribute by attribute to save memory."""
    sizes, rest, total = np.bincount(labels), 0.0, 0.0
    for x in X.T:
        means = np.bincount(labels, x) / sizes
        rest += float(np.square(x - means[labels]).sum())
        total += float(np.square(x - x.mean()).sum())
    return 100.0 * rest / total


def main(sizes: tuple[int, ...] = SIZES) -> None:
    partition(data.normal(30_000), K, "blocked")  # compiles
    print(
        f"10 attributes, k = {K}, {max_run_threads()} threads; all-kNN on one, its "
        f"queries extrapolated from {ASKED:,}.\n"
    )
    print(
        "| data | records | s | core s | core us / record | distances / record "
        "| all-kNN s | blocked / all-kNN | memory / data | IL % | IL / mdav's |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for shape, make in SHAPES.items():
        for n in sizes:
            X = make(n)
            row = run(X, "blocked")
            knn_time = all_neighbours(X)
            ratio = f"{memory('blocked', n, shape):.2f}" if n <= MEASURED else ""
            percent, beside = loss(X, row.labels), ""
            if n == COMPARED:
                beside = f"{percent / loss(X, run(X, 'mdav').labels):.3f}"
            print(
                f"| {shape} | {n:,} | {row.wall:.2f} | {row.cores:.2f} "
                f"| {1e6 * row.cores / n:.1f} | {row.distances:,.0f} | {knn_time:.1f} "
                f"| {row.wall / knn_time:.3f} | {ratio} | {percent:.4f} | {beside} |",
                flush=True,
            )
