"""Lower bounds: how high they reach, in what time."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from engine.bounds import (
    LowerBound,
    column_generation_bound,
    edge_cover_bound,
    nearest_bound,
)
from engine.core.typing import Values
from tests.benchmarks import data
from tests.benchmarks.smoke import size

SECONDS = size(120.0, 0.1)
"""Time that the slowest bound may take."""

SIZES = size((1_000, 20_000, 100_000, 1_000_000), (200,))
"""Records of the larger tables, for the bounds that take them."""


KS = size((3, 4, 5, 10), (3,))


def timed(bound: Callable[[Values, int], LowerBound], X: Values, k: int) -> str:
    """Return the bound in per cent and its seconds, as two cells."""
    clock = time.perf_counter()
    found = bound(X, k).per_cent
    return f"{found:.4f} | {time.perf_counter() - clock:.2f}"


def within(X: Values, k: int) -> LowerBound:
    return column_generation_bound(X, k, seconds=SECONDS)


def main() -> None:
    warm = data.normal(50, 2)
    for bound in (nearest_bound, edge_cover_bound, within):
        bound(warm, 3)  # compiles
    print("| table | k | LB0 | s | LB1 | s | LB2 | s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    folder = data.casc_folder()
    for name in ("tarragona", "census") if folder is not None else ():
        raw = np.loadtxt(f"{folder}/{name}.csv", delimiter=",", skiprows=1)
        X = np.ascontiguousarray((raw - raw.mean(axis=0)) / raw.std(axis=0))
        for k in KS:
            cells = [timed(b, X, k) for b in (nearest_bound, edge_cover_bound, within)]
            print(f"| {name} | {k} | {' | '.join(cells)} |", flush=True)
    print()
    print("| records x 10 | k | LB0 | s | LB1 | s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for n in SIZES:
        X = data.heavy(n)
        cells = [timed(b, X, 5) for b in (nearest_bound, edge_cover_bound)]
        print(f"| {n:,} | 5 | {' | '.join(cells)} |", flush=True)
