"""mdav against all-kNN by SciPy's cKDTree: same data, same run, one thread each."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
from scipy.spatial import cKDTree

from benchmarks import data
from engine import partition

SHAPES = {"normal": data.normal, "heavy-tailed": data.heavy}

_MEMORY = """
import resource, sys
import numpy as np
from benchmarks import data
from benchmarks.speed import SHAPES
from engine import partition
from engine.encode import Encoded
from engine.methods.base import make_method
partition(data.normal(2000), k=5, method=sys.argv[1])
unit = 1024 if sys.platform != "darwin" else 1
X = SHAPES[sys.argv[3]](int(sys.argv[2]))
encoded = Encoded.from_array(X)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
make_method(sys.argv[1], 5).partition(encoded)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(1 + (after - before) * unit / X.nbytes)
"""


def memory(method: str, n: int, shape: str = "normal") -> float:
    """Return peak memory in units of the data, the data themselves included.

    Measured in a process of its own as growth of the largest resident size, so the
    interpreter, libraries and the making of the data do not count.
    """
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
    assert np.isfinite(ours)
