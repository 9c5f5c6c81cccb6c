"""From file to report, stage by stage: seconds, in units of all-kNN, and memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from tests.benchmarks import data
from tests.benchmarks.smoke import size

SIZES = size((100_000, 1_000_000), (2_000,))

K = 5

ASKED = 2_000
"""Records whose neighbours are asked for; the time for all is worked out from that."""

T = TypeVar("T")


def table(n: int) -> pd.DataFrame:
    """Return ten numbers that go together, and an identifier, categories, a date."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((n, 1))
    values = np.exp(1.2 * hidden + 0.8 * rng.standard_normal((n, 10))).round(3)
    frame = pd.DataFrame(values).add_prefix("v")
    frame.insert(0, "person_id", np.arange(n) + 1_000_000)
    frame["region"] = rng.choice(["north", "south", "east", "west"], n)
    frame["diagnosis"] = [f"D{i:02d}" for i in rng.integers(0, 30, n)]
    days = pd.to_timedelta(rng.integers(0, 1500, n), unit="D")
    frame["visit"] = pd.Timestamp("2020-01-01") + days
    return frame


def peak() -> float:
    """Return the largest resident size of this process so far, in GiB; Linux, macOS."""
    import resource

    resident_size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return resident_size / (2**30 if sys.platform == "darwin" else 2**20)


def measure(n: int, folder: Path) -> None:
    """Print the lines of one size; in a process of its own, for its memory."""
    from engine import partition, read_table
    from engine.bounds import edge_cover_bound, nearest_bound
    from engine.data.propose import suggest_columns
    from engine.measures.classes import smallest_class_size
    from engine.pipeline.evaluate import evaluate
    from engine.pipeline.plan import Plan
    from engine.pipeline.run import run
    from engine.points.encode import encode_points
    from engine.release.verify import release_bytes_and_checks
    from engine.release.write import write_files
    from engine.release.writing import WritingOptions
    from engine.report import facts_to_file, report_facts

    small = data.normal(500)
    partition(small, K, "blocked")
    edge_cover_bound(small, K)
    nearest_bound(small, K)
    frame = table(n)
    frame.to_csv(folder / "made.csv", index=False)
    frame.to_parquet(folder / "made.parquet")
    names = [f"v{j}" for j in range(10)]
    X = frame[names].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    tree = cKDTree(X)
    clock = time.process_time()
    tree.query(X[:: max(1, n // ASKED)], K)
    unit = (time.process_time() - clock) * n / len(X[:: max(1, n // ASKED)])
    del frame, X, tree

    def line(what: str, work: Callable[[], T]) -> T:
        wall, cores = time.perf_counter(), time.process_time()
        answer = work()
        wall, cores = time.perf_counter() - wall, time.process_time() - cores
        print(
            f"| {n:,} | {what} | {wall:.2f} | {cores:.2f} | {cores / unit:.3f} "
            f"| {peak():.2f} |",
            flush=True,
        )
        return answer

    print(f"| {n:,} | all-kNN by cKDTree | | {unit:.2f} | 1 | {peak():.2f} |")
    line("read CSV", lambda: read_table(folder / "made.csv"))
    read = line("read Parquet", lambda: read_table(folder / "made.parquet"))
    line("propose roles", lambda: suggest_columns(read.frame))
    others = dict.fromkeys(("region", "visit"), "other")
    roles = dict.fromkeys(names, "quasi-identifier") | others
    typed_table = read.assign(
        roles=roles | {"person_id": "identifier", "diagnosis": "confidential"},
        kinds=dict.fromkeys(names, "continuous"),
    )
    line("count k", lambda: smallest_class_size(typed_table.frame, tuple(names)))
    points = line("prepare", lambda: encode_points(typed_table, tuple(names)))
    line("LB0", lambda: nearest_bound(points.X, K))
    bound = line("LB1", lambda: edge_cover_bound(points.X, K))
    plan = Plan(method="blocked", k=K)
    outcome = line("run without bound", lambda: run(plan, typed_table, bound=bound))
    for suffix in ("parquet", "csv"):
        target = folder / f"out.{suffix}"
        line(
            f"write and check {suffix}",
            lambda target=target: write_files(
                outcome, typed_table, target, {}, WritingOptions()
            ),
        )
    scores = line("all measures", lambda: evaluate(outcome, typed_table))
    checks = release_bytes_and_checks(outcome, typed_table, WritingOptions()).checks

    def report() -> bytes:
        facts = report_facts(outcome, typed_table, scores, checks, audience="internal")
        return facts_to_file(facts, ".html")

    line("report", report)


def main() -> None:
    print("| records | stage | s | s of all cores | units of all-kNN | peak GiB |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for n in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            line = [sys.executable, "-m", "tests.benchmarks.stages", str(n), folder]
            subprocess.run(line, check=True)


if __name__ == "__main__":
    measure(int(sys.argv[1]), Path(sys.argv[2]))
