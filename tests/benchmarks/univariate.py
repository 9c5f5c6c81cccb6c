"""Hansen-Mukherjee against microagg1d at a million values: time and SSE."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Values
from engine.methods.base import make_method
from engine.points.base import Points
from tests.benchmarks.smoke import size

RECORDS = size(1_000_000, 2_000)
SIZES = (3, 10, 100)
RIVALS = size(("staggered", "wilber"), ("wilber",))
"""Its default is not optimal for small k."""


def sse(x: Values, labels: NDArray[np.int64]) -> float:
    """Return the sum of squares inside groups of one attribute."""
    sizes = np.bincount(labels)
    means = np.bincount(labels, weights=x) / sizes
    return float(np.square(x - means[labels]).sum())


def main() -> None:
    from microagg1d import univariate_microaggregation

    x = np.random.default_rng(0).standard_normal(RECORDS)
    points = Points.from_array(x[:, None])
    make_method("hansen-mukherjee", 3).partition(Points.from_array(x[:100, None]))
    for name in RIVALS:
        univariate_microaggregation(x[:100], k=3, method=name)
    print("| k | rival | ours s | its s | ours / its | SSE ours / its |")
    print("| --- | --- | --- | --- | --- | --- |")
    for k in SIZES:
        for name in RIVALS:
            clock = time.perf_counter()
            found = make_method("hansen-mukherjee", k).partition(points).labels
            ours = time.perf_counter() - clock
            clock = time.perf_counter()
            theirs = univariate_microaggregation(x, k=k, method=name)
            its = time.perf_counter() - clock
            ratio = sse(x, found) / sse(x, theirs.astype(np.int64))
            print(
                f"| {k} | {name} | {ours:.2f} | {its:.2f} | {ours / its:.2f} "
                f"| {ratio:.12f} |",
                flush=True,
            )
