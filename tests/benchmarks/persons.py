"""k counts persons: CPU seconds, memory and loss beside the same table of records.

``python -m tests.benchmarks persons`` prints the table.
"""

import multiprocessing
import resource
import time
from typing import Any

import numpy as np

from engine import partition
from engine.core.numerics.statistics import total_sum_of_squares, within_group_sse
from engine.core.typing import Integers, Values
from tests.benchmarks.smoke import size

PERSONS = size(100_000, 60)
EACH = 10
K = 5
WAYS = ("rows", "one", "all")


def panel(persons: int) -> tuple[Values, Integers]:
    """Return records of persons who differ more than their records do, in any order."""
    rng = np.random.default_rng(0)
    person_values = rng.normal(size=(persons, 4))
    ids = rng.permutation(np.repeat(np.arange(persons), EACH))
    X = person_values[ids] + 0.5 * rng.normal(size=(ids.size, 4))
    X[:, 3] = person_values[ids, 3]
    return X, ids


def measure(way: str) -> tuple[float, float, float]:
    """Return CPU seconds, megabytes at most, and loss of the groups in per cent."""

    def grouped(X: Values, ids: Integers) -> Integers:
        options: dict[str, Any] = {}
        if way != "rows":
            options = {"persons": ids, "intruder_knows": way}
        return partition(X, K, "blocked", scaling="none", **options)

    grouped(*panel(30))  # compiled from here on
    X, ids = panel(PERSONS)
    clock = time.process_time()
    labels = grouped(X, ids)
    seconds = time.process_time() - clock
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    loss_percent = 100.0 * within_group_sse(X, labels) / total_sum_of_squares(X)
    return seconds, megabytes, loss_percent


def main() -> None:
    print(f"{PERSONS * EACH:,} records of {PERSONS:,} persons, blocked, k = {K}.\n")
    print("| intruder knows | CPU s | times rows | MB | times rows | loss % |")
    print("| --- | --- | --- | --- | --- | --- |")
    base: tuple[float, float, float] | None = None
    for way in WAYS:
        # Each in a process of its own, so that memory is its own.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            figures = pool.apply(measure, (way,))
        base = base or figures
        seconds, megabytes, loss_percent = figures
        print(
            f"| {way} | {seconds:.1f} | {seconds / base[0]:.2f} | {megabytes:.0f} "
            f"| {megabytes / base[1]:.2f} | {loss_percent:.2f} |",
            flush=True,
        )
