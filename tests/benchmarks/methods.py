"""Every method on the same tables: time and loss relative to mdav, and memory."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import EngineError
from engine.core.typing import Values
from engine.methods import methods
from engine.methods.base import make_method
from engine.points.base import Points
from tests.benchmarks import data
from tests.benchmarks.smoke import size
from tests.benchmarks.speed import memory

SIZES = size((1_000, 20_000), (60,))
IDS = size(tuple(methods), ("mdav", "hansen-mukherjee", "fuzzy"))


def sse(x: Values, labels: NDArray[np.int64]) -> float:
    """Return the sum of squares inside groups of one attribute."""
    sizes = np.bincount(labels)
    means = np.bincount(labels, weights=x) / sizes
    return float(np.square(x - means[labels]).sum())


def loss(X: Values, name: str, k: int) -> tuple[float, float]:
    """Return (seconds, SSE) of one method."""
    clock = time.perf_counter()
    found = make_method(name, k).partition(Points.from_array(X))
    seconds = time.perf_counter() - clock
    total = 0.0
    for j in range(X.shape[1]):
        labels = found.labels if found.attributes is None else found.attributes[j]
        total += sse(X[:, j], labels)
    return seconds, total


def main() -> None:
    print("| method | records | s | s / mdav | IL / mdav | memory / data |")
    print("| --- | --- | --- | --- | --- | --- |")
    for n in SIZES:
        X = data.heavy(n)
        anchor = loss(X, "mdav", 5), loss(X, "mdav", 5)
        base = min(seconds for seconds, _ in anchor)
        for info in map(methods.info, IDS):
            values = X[:, :1].copy() if info.traits.univariate else X
            try:
                loss(values[:400], info.id, 5)  # compiles
                seconds, sse = loss(values, info.id, 5)
            except EngineError as error:
                print(f"| {info.id} | {n:,} | {error} | | | |")
                continue
            reference = loss(values, "mdav", 5)[1]
            used = f"{memory(info.id, n, 'heavy-tailed'):.1f}"
            print(
                f"| {info.id} | {n:,} | {seconds:.3f} | {seconds / base:.1f} "
                f"| {sse / reference:.3f} | {used} |",
                flush=True,
            )
