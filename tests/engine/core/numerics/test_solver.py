"""Programmes are solved, and the solver does not take the process down with it."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from highspy import HighsVarType

from engine.core.context import SILENT, RunContext
from engine.core.numerics.solver import (
    IntegerProgramme,
    make_highs_solver,
    solve_unless_stopped,
)


def test_rows_that_are_multiples_but_for_rounding() -> None:
    A = np.array(
        [
            [2.0, -1.0, 0.0],
            [-70.0, 20.0, 0.0],
            [1200.0, 800.0, 0.0],
            [-15.0, 4.0, 0.0],
            [-1.0, 1.0, -1.0],
            [0.5, -0.5, 0.5],
        ]
    )
    none, all_ = np.full(3, -np.inf), np.full(3, np.inf)
    tiny = -8.3e-17
    low = np.array([-np.inf, -np.inf, -np.inf, -np.inf, tiny, 0.0])
    high = np.array([9.0, 1020.0, np.inf, 105.0, tiny, 0.0])
    whole = np.array([True, True, False])
    x, impossible = IntegerProgramme(
        np.zeros(3), none, all_, A, low, high, whole
    ).solve()
    assert not impossible
    assert x is not None
    assert x[:2] == pytest.approx(np.rint(x[:2]), abs=1e-9)
    assert (A @ x >= low - 1e-9).all()
    assert (A @ x <= high + 1e-9).all()


def test_the_solver_prints_nothing() -> None:
    code = (
        "from engine.core.numerics.solver import make_highs_solver\n"
        "for _ in range(2):\n"
        "    solver = make_highs_solver()\n"
        "    solver.addVar(0.0, 1.0)\n"
        "    solver.run()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ran.stdout == ran.stderr == b""


def test_a_programme_without_an_answer() -> None:
    coefficients = np.ones((1, 1))
    answer = IntegerProgramme(
        np.zeros(1),
        np.zeros(1),
        np.ones(1),
        coefficients,
        np.full(1, 2.0),
        np.full(1, 3.0),
    ).solve()
    assert answer == (None, True)


def test_a_programme_that_grows_is_solved_after_a_small_one() -> None:
    """A thread in which the solver has run takes no other number of threads."""
    matrix = np.ones((1, 1))
    IntegerProgramme(
        matrix[0], matrix[0], 2 * matrix[0], matrix, matrix[0], matrix[0]
    ).solve()
    solver = make_highs_solver()
    solver.addVar(2.0, 3.0)
    solver.run()
    assert solver.modelStatusToString(solver.getModelStatus()) == "Optimal"


def test_one_is_solved_while_another_goes_on_which_then_stops() -> None:
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 100, (5, 40)).astype(np.float64)
    halves = np.floor(weights.sum(axis=1) / 2.0)
    slow, columns = make_highs_solver(), np.arange(40, dtype=np.int32)
    for _ in range(40):
        slow.addVar(0.0, 1.0)
    slow.changeColsIntegrality(40, columns, np.full(40, HighsVarType.kInteger))
    for row, half in zip(weights, halves.tolist(), strict=True):
        slow.addRow(half, half, 40, columns, row)  # market split: takes for ever
    quick = make_highs_solver()
    quick.addVar(2.0, 3.0)
    start_event, over = threading.Event(), threading.Event()
    ctx = RunContext(enough=over.is_set)
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(solve_unless_stopped, slow, ctx, "", start_event.set)
        try:
            assert start_event.wait(60)
            assert solve_unless_stopped(quick, SILENT, "")
            assert not future.done()
        finally:
            over.set()
        assert not future.result(60)
