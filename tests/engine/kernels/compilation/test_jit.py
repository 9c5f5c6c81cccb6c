"""Kernels are compiled once, whoever asks for them."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import numpy as np
import pytest

from engine.kernels.compilation import _jit
from engine.kernels.compilation.compiling import listen_to_compiling
from engine.kernels.records.distance import sq_dist

ASK = """
import sys
import numpy as np
from engine.kernels.records.distance import sq_dist
print("ready", flush=True)
sys.stdin.readline()
assert sq_dist(np.zeros(2), np.ones(2)) == 2.0
print(sum(sq_dist.compiled.stats.cache_misses.values()))
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
    inside, lock_request = Event(), Event()

    def first() -> None:
        with _jit._hold_lock(path):
            inside.set()
            lock_request.wait()
            order.append("first")

    def second() -> None:
        inside.wait()
        lock_request.set()
        with _jit._hold_lock(path):
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
    monkeypatch.setattr(_jit, "MAX_LOCK_WAIT_SECONDS", 0.05)
    entered = []
    with _jit._hold_lock(tmp_path / "of.lock"), _jit._hold_lock(tmp_path / "of.lock"):
        entered.append(True)
    assert entered


def test_where_no_file_can_be_locked_kernels_are_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with _jit._hold_lock(tmp_path / "file" / "of.lock"):
        pass
    monkeypatch.setattr(_jit, "CACHE_ROOT", tmp_path)
    distance_kernel = _jit.kernel(sq_dist.__wrapped__)  # type: ignore[attr-defined]
    monkeypatch.setattr(_jit.files, "try_lock_file", _refuse)
    assert distance_kernel(np.zeros(2), np.ones(2)) == 2.0


def _refuse(*_arguments: object) -> None:
    raise OSError("no locks available")


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that kernels of this file are cached in."""
    monkeypatch.setattr(_jit, "CACHE_ROOT", tmp_path)
    monkeypatch.setattr(_jit, "_digest", lambda path: path.stem)
    return tmp_path


def double(x: float) -> float:
    return 2.0 * x


twice = _jit.kernel(double)


def test_a_kernel_is_compiled_when_it_is_called_and_not_before(cached: Path) -> None:
    @_jit.kernel
    def fourfold(x: float) -> float:
        return twice(twice(x))

    notices: list[bool] = []
    _jit.load_numba()  # which counts as compiling
    assert not list(cached.iterdir())
    with listen_to_compiling(notices.append):
        assert fourfold(3.0) == 12.0
        assert fourfold(5.0) == 20.0
    assert list(cached.rglob("*fourfold*.nbc"))
    assert notices == [True, False]  # once, with what it calls


def test_threads_that_meet_at_a_new_kernel_compile_it_once(cached: Path) -> None:
    double_kernel: Any = _jit.kernel(double)
    start, answers = Barrier(4), []

    def ask() -> None:
        start.wait()
        answers.append((double_kernel(4.0), double_kernel.compiled))

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(8.0, double_kernel.compiled)] * 4
    assert len(list(cached.rglob("*.nbc"))) == 1


def test_the_same_kernel_in_another_folder_is_read_and_not_compiled(
    cached: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    counts = []
    for _ in range(2):
        for folder in cached.iterdir():
            os.utime(folder, (0.0, 0.0))
        file = tmp_path_factory.mktemp("installed") / "installed.py"
        file.write_text("def thrice(x):\n    return 3.0 * x\n", encoding="utf-8")
        thrice_kernel: Any = _jit.kernel(
            runpy.run_path(str(file), run_name=__name__)["thrice"]
        )
        assert thrice_kernel(2.0) == 6.0
        stats = thrice_kernel.compiled.stats
        counts.append(
            (sum(stats.cache_misses.values()), sum(stats.cache_hits.values()))
        )
    assert counts == [(1, 0), (0, 1)]
    (folder,) = cached.iterdir()
    assert folder.stat().st_mtime > 0.0  # it was used


def test_what_a_full_disk_does_not_keep_is_compiled_and_used(
    cached: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace
    monkeypatch.setattr(os, "replace", _refuse)
    assert _jit.kernel(double)(4.0) == 8.0
    assert not list(cached.rglob("*.nb?"))
    monkeypatch.setattr(os, "replace", replace)
    assert _jit.kernel(double)(4.0) == 8.0
    assert list(cached.rglob("*.nbc"))


@pytest.mark.parametrize("suffix", ["nbc", "nbi"])
@pytest.mark.parametrize("left", [b"", b"\0" * 64])
def test_what_a_crash_has_left_of_a_compiled_kernel_is_compiled_again(
    cached: Path, suffix: str, left: bytes
) -> None:
    assert _jit.kernel(double)(4.0) == 8.0
    (path,) = cached.rglob(f"*.{suffix}")
    path.write_bytes(left)
    assert _jit.kernel(double)(4.0) == 8.0
    double_kernel: Any = _jit.kernel(double)
    assert double_kernel(4.0) == 8.0
    assert sum(double_kernel.compiled.stats.cache_hits.values()) == 1
