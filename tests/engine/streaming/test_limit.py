"""Memory stays under its limit, whatever the size of the data."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.streaming.tables import numbers, written

LIMIT = 560_000_000
"""Of which Python, numba, pandas and Arrow alone take some 350 MB."""

RECORDS, TEXTS, WIDTH = 180_000, 11, 850
CHUNK = 6_000
"""Records written at once."""


def texts(rng: np.random.Generator, n: int) -> pa.Array:
    letters = rng.integers(97, 123, n * WIDTH, dtype=np.uint8)
    ends = np.arange(n + 1, dtype=np.int32) * WIDTH
    return pa.StringArray.from_buffers(n, pa.py_buffer(ends), pa.py_buffer(letters))


def write_large(path: Path) -> int:
    """Write records that cannot be compressed, and return their bytes in memory."""
    rng, size = np.random.default_rng(0), 0
    names = [*"abcd", *(f"text{j}" for j in range(TEXTS))]
    kinds = [pa.float64()] * 4 + [pa.string()] * TEXTS
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    with pq.ParquetWriter(
        path, schema, compression="none", use_dictionary=False
    ) as file:
        for _ in range(RECORDS // CHUNK):
            columns = [pa.array(rng.normal(size=CHUNK)) for _ in range(4)]
            columns += [texts(rng, CHUNK) for _ in range(TEXTS)]
            table = pa.Table.from_arrays(columns, schema=schema)
            size += table.nbytes
            file.write_table(table)
    return size


STARTER = """
import os, sys
child = os.fork()
if child == 0:
    os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""A small process: Linux counts what the one held that starts another."""


def peak_of(*words: object) -> int:
    """Run a command and return the most memory that it held, bytes."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "peak")
        line = [sys.executable, "-c", STARTER, said, "-m", "engine", "run"]
        subprocess.run(list(map(str, [*line, "--out-of-core", *words])), check=True)
        return int(said.read_text()) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
def test_memory_stays_under_a_third_of_the_data(tmp_path: Path) -> None:
    words = ["--quasi-identifiers", "a,b,c,d", "--k", "5"]
    # Compiling takes memory too, once for a machine.
    small = written(numbers(5000, 4).rename_columns([*"abcd"]), tmp_path / "s.parquet")
    peak_of(small, "--output", tmp_path / "small", *words)
    source, out = tmp_path / "large.parquet", tmp_path / "out"
    assert write_large(source) >= 3 * LIMIT
    words += ["--memory", str(LIMIT), "--records-per-block", "1250"]
    figures = tmp_path / "figures.json"
    peak = peak_of(source, "--output", out, *words, "--json", figures)
    known = json.loads(figures.read_text())
    source.unlink()
    assert known["n_records"] == RECORDS
    assert known["k_verified"]
    assert sum(path.stat().st_size for path in out.iterdir()) > 2.5 * LIMIT
    assert known["memory"]["peak"] <= peak <= LIMIT
