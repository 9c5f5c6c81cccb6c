"""Memory, disk and folders: what a run needs is said before, and kept under."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.core.errors import EngineError, InputError, ParameterError
from engine.core.platform.memory import peak_resident_bytes, resident_bytes
from engine.streaming.memory import (
    BlockShape,
    MemoryBudget,
    default_memory_limit,
    parse_memory_size,
)
from engine.streaming.workspace import lock_workspace
from tests.engine.streaming.runs import PLAN, run
from tests.engine.streaming.tables import numbers, written


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2GB", 2 * 10**9),
        ("500 MB", 5 * 10**8),
        ("1.5GiB", 3 * 2**29),
        ("800m", 8 * 10**8),
        ("1000000", 10**6),
    ],
)
def test_amounts_are_read(text: str, amount: int) -> None:
    assert parse_memory_size(text) == amount


@pytest.mark.parametrize("text", ["", "much", "-2GB", "2XB", "GB"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="2GB"):
        parse_memory_size(text)


def test_this_process_has_a_size() -> None:
    assert 10**7 < resident_bytes() <= 1.1 * peak_resident_bytes()
    assert peak_resident_bytes() < default_memory_limit() * 4


def test_a_block_that_came_out_too_large_is_refused() -> None:
    shape = BlockShape(10**8, 10**5, 10)
    fits = MemoryBudget(shape.required_bytes + 10**8, 10**8)
    fits.check_block_limit(shape, 10**5)
    with pytest.raises(ParameterError, match="--memory"):
        MemoryBudget(fits.limit - 1, fits.base).check_block_limit(shape, 10**5)


def test_a_limit_that_is_too_small_says_one_that_is_not(
    source: Path, tmp_path: Path
) -> None:
    small = resident_bytes() + 10**6
    with pytest.raises(EngineError, match=r"say --memory \d") as raised:
        run(PLAN, source, tmp_path / "out", memory=small)
    assert list(tmp_path.iterdir()) == []

    enough = str(raised.value).split("--memory ")[1].split(" or more")[0]
    run(PLAN, source, tmp_path / "out", memory=int(1.1 * parse_memory_size(enough)))


def test_blocks_are_protected_at_once_as_far_as_memory_allows() -> None:

    shape = BlockShape(10_000_000, 100_000, 4)
    assert (
        MemoryBudget(10**9, 10**9 - 3 * shape.required_bytes - 1).max_parallel_blocks(
            shape
        )
        == 3
    )


def test_a_disk_without_room_is_named_before_it_is_written_to(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free: Callable[[Path], Any] = lambda _: type("Usage", (), {"free": 1000})  # noqa: E731
    monkeypatch.setattr("shutil.disk_usage", free)
    with pytest.raises(InputError, match="free some"):
        run(PLAN, source, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_is_there_is_never_replaced(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(EngineError, match="exists already"):
        run(PLAN, source, tmp_path / "out")
    with pytest.raises(EngineError, match="does not exist"):
        run(PLAN, source, tmp_path / "no" / "out")
    (tmp_path / "out" / "mine").unlink()
    run(PLAN, source, tmp_path / "out")  # an empty folder is as good as none


def test_two_runs_do_not_share_a_folder(source: Path, tmp_path: Path) -> None:
    with (
        lock_workspace(tmp_path / "out"),
        pytest.raises(InputError, match="Another run"),
    ):
        run(PLAN, source, tmp_path / "out")


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
        peak_path = Path(folder, "peak")
        line = [sys.executable, "-c", STARTER, peak_path, "-m", "engine", "run"]
        subprocess.run(list(map(str, [*line, "--out-of-core", *words])), check=True)
        return int(peak_path.read_text()) * (1 if sys.platform == "darwin" else 1024)


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
    summary = json.loads(figures.read_text())
    source.unlink()
    assert summary["n_records"] == RECORDS
    assert summary["k_verified"]
    assert sum(path.stat().st_size for path in out.iterdir()) > 2.5 * LIMIT
    assert summary["memory"]["peak"] <= peak <= LIMIT
