"""mdav against all-kNN by SciPy's cKDTree: same data, same run, one thread each."""

from __future__ import annotations

import subprocess
import sys
import time

from scipy.spatial import cKDTree

from engine import partition
from engine.core.typing import Values
from tests.benchmarks import data
from tests.benchmarks.smoke import size

SHAPES = {
    "normal": data.normal,
    "heavy-tailed": data.heavy,
    "clustered": data.clustered,
}

ATTRIBUTES = size((1, 2, 3, 4, 6, 8, 10, 15), (1, 3))
SIZES = size((10_000, 30_000, 100_000), (300,))

_MEMORY = """
import ctypes, re, sys
from pathlib import Path
from tests.benchmarks.speed import SHAPES
from engine.points.base import Points
from engine.methods.base import make_method

def kilobytes(field):
    status = Path("/proc/self/status").read_text()
    return int(re.search(field + r":\\s+(\\d+)", status)[1])

method = make_method(sys.argv[1], 5)
columns = 1 if method.info.traits.univariate else 10
X = SHAPES[sys.argv[3]](int(sys.argv[2]))[:, :columns].copy()
points = Points.from_array(X)
method.partition(points)  # loads the code of all kernels
ctypes.CDLL(None).malloc_trim(0)
Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
before = kilobytes("VmRSS")
method.partition(points)
print(1 + max(0, kilobytes("VmHWM") - before) * 1024 / X.nbytes)
"""


def memory(method: str, n: int, shape: str = "normal") -> float:
    """Return peak memory in units of the data, the data themselves included.

    Measured in a process of its own as growth of the resident size in a second run,
    so that interpreter, code and the making of the data do not count. Linux only; NaN
    elsewhere.
    """
    if sys.platform != "linux":
        return float("nan")
    line = [sys.executable, "-c", _MEMORY, method, str(n), shape]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return float(done.stdout)


def side_by_side(X: Values, tries: int = 3) -> tuple[float, float]:
    """Return the seconds of mdav and of all-kNN on the same data, the best of some."""
    mdav_seconds, knn_seconds = [], []
    for _ in range(tries):
        clock = time.perf_counter()
        partition(X, k=5, method="mdav", scaling="none")
        mdav_seconds.append(time.perf_counter() - clock)
        clock = time.perf_counter()
        cKDTree(X).query(X, 5)
        knn_seconds.append(time.perf_counter() - clock)
    return min(mdav_seconds), min(knn_seconds)


def main() -> None:
    print("| data | records | mdav s | all-kNN s | mdav / all-kNN | memory / data |")
    print("| --- | --- | --- | --- | --- | --- |")
    partition(data.normal(1000), k=5)
    for shape, make in SHAPES.items():
        for n in SIZES:
            mdav_seconds, knn_seconds = side_by_side(make(n), tries=1)
            print(
                f"| {shape} | {n:,} | {mdav_seconds:.2f} | {knn_seconds:.2f} "
                f"| {mdav_seconds / knn_seconds:.2f} | {memory('mdav', n, shape):.2f} |"
            )
    print(f"\n{SIZES[-1]:,} records: mdav / all-kNN by the number of attributes.\n")
    print(f"| data | {' | '.join(map(str, ATTRIBUTES))} |")
    print("| --- |" + " --- |" * len(ATTRIBUTES))
    for shape, make in SHAPES.items():
        ratios = []
        for p in ATTRIBUTES:
            mdav_seconds, knn_seconds = side_by_side(make(SIZES[-1], p))
            ratios.append(f"{mdav_seconds / knn_seconds:.2f}")
        print(f"| {shape} | {' | '.join(ratios)} |", flush=True)
