"""From nothing to the first result: a cold machine, a warm one, a comparison."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from scipy.spatial import cKDTree

from tests.benchmarks import data
from tests.benchmarks.smoke import size

UNIT = size(100_000, 1_000)
TRIES = size(3, 1)
METHODS = size(
    "md,mdav,mdav1,mdav-generic,cbfs,vmdav,dba1,ldf,pairwise-systematic,tfrp1",
    "md,mdav",
)


def _seconds(words: list[str], **environment: str) -> float:
    clock = time.perf_counter()
    line = [sys.executable, "-m", "engine", *words]
    subprocess.run(
        line, check=True, stdout=subprocess.DEVNULL, env=os.environ | environment
    )
    return time.perf_counter() - clock


def main() -> None:
    X = data.normal(UNIT)
    clock = time.perf_counter()
    cKDTree(X).query(X, 5)
    unit = time.perf_counter() - clock
    print(f"Unit: all-kNN of {UNIT:,} x 10 by SciPy's cKDTree, {unit:.2f} s here.\n")
    print("| what | s | units |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        folder = data.casc_folder()
        if folder is not None:
            census = folder / "census.csv"
        else:
            census = Path(scratch) / "made.csv"
            pd.DataFrame(data.heavy(1080, 13)).to_csv(census, index=False)
        run = ["run", str(census), "--all-numeric", "--k", "3"]
        table = ["compare", str(census), "--all-numeric", "--k", "3,4,5,10"]
        table += ["--methods", METHODS]
        rows = {
            "help": lambda: min(_seconds(["--help"]) for _ in range(TRIES)),
            "first run on Census, nothing compiled": lambda: _seconds(
                run, **size({"NUMBA_CACHE_DIR": tempfile.mkdtemp(dir=scratch)}, {})
            ),
            "second run on Census": lambda: min(_seconds(run) for _ in range(TRIES)),
            f"{METHODS.count(',') + 1} methods x 4 values of k on Census": lambda: min(
                _seconds(table) for _ in range(TRIES)
            ),
        }
        _seconds(run)
        _seconds(table)
        for what, measure in rows.items():
            seconds = measure()
            print(f"| {what} | {seconds:.2f} | {seconds / unit:.2f} |", flush=True)
