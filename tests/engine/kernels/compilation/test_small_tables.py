"""Small tables need no kernels, and come out as with them, to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.bounds.edge_cover import edge_cover_bound
from engine.core.typing import Values
from engine.kernels.compilation import _jit, small_tables
from engine.kernels.compilation.small_tables import prefer_kernels, should_use_numpy
from engine.kernels.index.halving import kd_leaf_order
from engine.kernels.index.shared import summation_rounding
from engine.methods.base import make_method
from engine.neighbours.neighbour_lists import nearest_neighbours
from engine.points.base import Points
from tests.casc import path, zscored

METHODS = ("mdav", "mdav1", "mdav-generic", "cbfs")


def scattered(rng: np.random.Generator, n: int, p: int) -> Values:
    return rng.standard_normal((n, p))


def heavy(rng: np.random.Generator, n: int, p: int) -> Values:
    return rng.lognormal(0.0, 2.0, (n, p))


def tied(rng: np.random.Generator, n: int, p: int) -> Values:
    return rng.integers(0, 4, (n, p)).astype(np.float64)


def tied_scores(rng: np.random.Generator, n: int, p: int) -> Values:
    X = tied(rng, n, p)
    return np.asarray((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9))


def categories(rng: np.random.Generator, n: int, p: int) -> Values:
    return np.asarray(np.eye(p)[rng.integers(0, p, n)] * np.sqrt(0.5))


def mirrored(rng: np.random.Generator, n: int, p: int) -> Values:
    X = rng.standard_normal((n // 2, p))
    return np.vstack([X, 0.3 - X])


def far_away(rng: np.random.Generator, n: int, p: int) -> Values:
    return np.asarray(1e8 + rng.standard_normal((n, p)).round(2))


def overflowing(rng: np.random.Generator, n: int, p: int) -> Values:
    return np.asarray(rng.choice([-1e200, 0.0, 1.0, 1e200], (n, p)))


DRAWS = (
    scattered,
    heavy,
    tied,
    tied_scores,
    categories,
    mirrored,
    far_away,
)


def figures(X: Values, k: int) -> list[bytes]:
    """Return groups, seeds and bound of a table, as bytes."""
    found = []
    for name in METHODS:
        partition = make_method(name, k).partition(Points.from_array(X))
        assert partition.seeds is not None
        found += [partition.labels.tobytes(), partition.seeds.tobytes()]
    bound = edge_cover_bound(X, k)
    prices = b"" if bound.proof is None else bound.proof.prices.tobytes()
    return [*found, bound.sse.hex().encode(), prices]


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize(("n", "p"), [(12, 2), (131, 9), (300, 3)])
@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.usefixtures("without_kernels")
def test_groups_and_bounds_are_those_of_kernels(
    draw: Callable[..., Values], n: int, p: int, k: int
) -> None:
    X = draw(np.random.default_rng(n + k), n, p)
    found = figures(X, k)
    assert small_tables._total_work > 0.0
    with prefer_kernels():
        assert found == figures(X, k)


@pytest.mark.parametrize("name", ["census", "tarragona"])
@pytest.mark.usefixtures("without_kernels")
def test_published_tables_come_out_as_by_kernels(name: str) -> None:
    X = zscored(name)
    found = figures(X, 3)
    with prefer_kernels():
        assert found == figures(X, 3)


@pytest.mark.parametrize("draw", [*DRAWS, overflowing])
@pytest.mark.usefixtures("without_kernels")
def test_neighbours_and_trees_are_those_of_kernels(draw: Callable[..., Values]) -> None:
    X = draw(np.random.default_rng(0), 290, 5)

    def lists() -> list[list[int]]:
        near = [nearest_neighbours(X, m).tolist() for m in (1, 7, 289)]
        return [*near, kd_leaf_order(X, 16, 4).tolist(), kd_leaf_order(X, 3).tolist()]

    found = lists()
    with prefer_kernels():
        assert found == lists()


@pytest.mark.usefixtures("without_kernels")
def test_only_little_work_on_small_tables_is_done_without_kernels() -> None:
    largest = int(np.sqrt(small_tables.MAX_WORK / 2))
    assert not should_use_numpy(kd_leaf_order, largest + 1, 2)
    times = 0
    while should_use_numpy(kd_leaf_order, largest, 2):
        times += 1
    assert times == small_tables.MAX_TOTAL_WORK // (2 * largest * largest)


def test_what_is_loaded_or_compiled_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "CACHE_ROOT", tmp_path)
    monkeypatch.setattr(small_tables, "_preferring", 0)
    monkeypatch.setattr(small_tables, "_total_work", 0.0)

    function = summation_rounding.__wrapped__  # type: ignore[attr-defined]
    fresh, another = _jit.Kernel(function), _jit.Kernel(function)
    assert should_use_numpy(fresh, 10, 2)
    with prefer_kernels():
        assert not should_use_numpy(fresh, 10, 2)
    assert fresh(3) > 1.0
    assert not should_use_numpy(fresh, 10, 2)
    assert not should_use_numpy(another, 10, 2)


def test_a_small_file_is_protected_without_numba(tmp_path: Path) -> None:
    case = (
        "import sys\n"
        "from engine.cli import main\n"
        "assert main(sys.argv[1:]) == 0\n"
        "assert 'numba' not in sys.modules\n"
    )
    words = ["run", str(path("census")), "--all-numeric", "--k", "3"]
    subprocess.run(
        [sys.executable, "-c", case, *words],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert not list(tmp_path.rglob("*.nbi"))
