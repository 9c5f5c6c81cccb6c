"""A second process compiles ahead what a first run would compile later."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.kernels.compilation import _jit, second_process

CASE = """
import sys
import numpy as np
from engine.bounds.edge_cover import edge_cover_bound
from engine.kernels.bounds.excess import list_overpriced_pairs_until_full
from engine.kernels.compilation.small_tables import prefer_kernels
from engine.kernels.fixed_size.mdav import form_nearest_group
from engine.methods.base import make_method
from engine.points.base import Points
X = np.random.default_rng(1).normal(size=(40, 3))
with prefer_kernels():
    labels = make_method("mdav", 3).partition(Points.from_array(X)).labels
    bound = edge_cover_bound(X, 3)
for each in (form_nearest_group, list_overpriced_pairs_until_full):
    print(sum(each.compiled.stats.cache_misses.values()))
print(labels.tolist(), bound.sse.hex())
"""


def run_case(cache: Path) -> list[str]:
    """Return what a process prints that groups records and bounds their loss."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    line = [sys.executable, "-c", CASE]
    done = subprocess.run(
        line, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def compile_ahead(cache: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "engine.bounds.compile_ahead"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        stdin=subprocess.PIPE,
    )


@pytest.mark.slow
def test_what_it_compiles_is_what_a_run_takes_and_gives_the_same(
    tmp_path: Path,
) -> None:
    with compile_ahead(tmp_path / "ahead") as ahead:
        assert ahead.wait() == 0
    *misses, outcome = run_case(tmp_path / "ahead")
    assert misses == ["0", "0"]
    *misses, expected = run_case(tmp_path / "alone")
    assert misses == ["1", "1"]
    assert outcome == expected


@pytest.mark.slow
def test_a_run_beside_it_gives_the_same(tmp_path: Path) -> None:
    with compile_ahead(tmp_path / "both"):
        case_output = run_case(tmp_path / "both")
    assert case_output[-1] == run_case(tmp_path / "both")[-1]


def test_it_ends_when_the_process_that_waits_has_ended(tmp_path: Path) -> None:
    with compile_ahead(tmp_path) as ahead:
        assert ahead.stdin is not None
        ahead.stdin.close()
        assert ahead.wait() == 0
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize(("cores", "compiled"), [(1, False), (2, True)])
def test_none_is_started_without_an_idle_core_or_where_it_has_been(
    cores: int, compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, shipped = tmp_path / "cache", tmp_path / "shipped"
    monkeypatch.setattr(_jit, "CACHE_ROOT", cache)
    monkeypatch.setattr(_jit, "SHIPPED", shipped)
    monkeypatch.setattr(second_process, "count_usable_cores", lambda: cores)
    monkeypatch.setattr(subprocess, "Popen", None)
    if compiled:
        path = Path(_jit.__file__).parents[1] / "bounds" / "excess.py"
        (shipped / _jit._digest(path)).mkdir(parents=True)
    second_process.compile_in_second_process()
