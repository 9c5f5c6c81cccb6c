"""mdav against all-kNN by SciPy's cKDTree: same data, same run, one thread each."""

from __future__ import annotations

import subprocess
import sys
import time

from scipy.spatial import cKDTree

from benchmarks import data
from engine import partition

SHAPES = {"normal": data.normal, "heavy-tailed": data.heavy}

_MEMORY = """
import re, sys
from pathlib import Path
from benchmarks import data
from benchmarks.speed import SHAPES
from engine.encode import Encoded
from engine.methods.base import make_method

def kilobytes(field):
    status = Path("/proc/self/status").read_text()
    return int(re.search(field + r":\\s+(\\d+)", status)[1])

method = make_method(sys.argv[1], 5)
columns = 1 if method.info.traits.univariate else 10
method.partition(Encoded.from_array(data.heavy(400)[:, :columns].copy()))
X = SHAPES[sys.argv[3]](int(sys.argv[2]))[:, :columns].copy()
encoded = Encoded.from_array(X)
Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
before = kilobytes("VmRSS")
method.partition(encoded)
print(1 + max(0, kilobytes("VmHWM") - before) * 1024 / X.nbytes)
"""


def memory(method: str, n: int, shape: str = "normal") -> float:
    """Return peak memory in units of the data, the data themselves included.

    Measured in a process of its own as growth of the resident size, so that
    interpreter, libraries and the making of the data do not count. Linux only; NaN
    elsewhere.
    """
    if sys.platform != "linux":
        return float("nan")
    line = [sys.executable, "-c", _MEMORY, method, str(n), shape]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    print("| data | records | mdav s | all-kNN s | mdav / all-kNN | memory / data |")
    print("| --- | --- | --- | --- | --- | --- |")
    partition(data.normal(1000), k=5)
    for shape, make in SHAPES.items():
        for n in (10_000, 30_000, 100_000):
            X = make(n)
            clock = time.perf_counter()
            partition(X, k=5, method="mdav", scaling="none")
            ours = time.perf_counter() - clock
            clock = time.perf_counter()
            cKDTree(X).query(X, 5)
            theirs = time.perf_counter() - clock
            print(
                f"| {shape} | {n:,} | {ours:.2f} | {theirs:.2f} "
                f"| {ours / theirs:.2f} | {memory('mdav', n, shape):.2f} |"
            )
