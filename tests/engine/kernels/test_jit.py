"""Kernels are compiled once, whoever asks for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from engine.kernels import _jit
from engine.kernels.distance import squared_distance

ASK = """
import sys
import numpy as np
from engine.kernels.distance import squared_distance
print("ready", flush=True)
sys.stdin.readline()
assert squared_distance(np.zeros(2), np.ones(2)) == 2.0
print(sum(squared_distance.stats.cache_misses.values()))
"""


@pytest.mark.slow
def test_of_two_processes_at_once_one_compiles_and_the_other_reads(
    tmp_path: Path,
) -> None:
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", ASK],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in asking:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in asking:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    compiled = [int(process.communicate()[0]) for process in asking]
    assert sorted(compiled) == [0, 1]


def test_a_locked_block_is_entered_when_the_one_before_has_left(tmp_path: Path) -> None:
    path, order = tmp_path / "of.lock", []
    inside, asked = Event(), Event()

    def first() -> None:
        with _jit._locked(path):
            inside.set()
            asked.wait()
            order.append("first")

    def second() -> None:
        inside.wait()
        asked.set()
        with _jit._locked(path):
            order.append("second")

    threads = [Thread(target=first), Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order == ["first", "second"]


def test_nobody_waits_for_ever_for_a_process_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "PATIENCE", 0.05)
    entered = []
    with _jit._locked(tmp_path / "of.lock"), _jit._locked(tmp_path / "of.lock"):
        entered.append(True)
    assert entered


def test_where_no_file_can_be_locked_kernels_are_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with _jit._locked(tmp_path / "file" / "of.lock"):
        pass
    monkeypatch.setattr(_jit, "_ROOT", tmp_path)
    again = _jit.kernel(squared_distance.py_func)  # type: ignore[attr-defined]
    monkeypatch.setattr(_jit.fcntl, "flock", _refuse)
    assert again(np.zeros(2), np.ones(2)) == 2.0


def _refuse(*_arguments: object) -> None:
    raise OSError("no locks available")
