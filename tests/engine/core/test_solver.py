"""Programmes are solved, and the solver does not take the process down with it."""

import numpy as np
import pytest

from engine.core.solver import Programme, make_solver


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
    x, impossible = Programme(np.zeros(3), none, all_, A, low, high, whole).solve()
    assert not impossible
    assert x is not None
    assert x[:2] == pytest.approx(np.rint(x[:2]), abs=1e-9)
    assert (A @ x >= low - 1e-9).all()
    assert (A @ x <= high + 1e-9).all()


def test_a_programme_without_an_answer() -> None:
    one = np.ones((1, 1))
    found = Programme(
        np.zeros(1), np.zeros(1), np.ones(1), one, np.full(1, 2.0), np.full(1, 3.0)
    ).solve()
    assert found == (None, True)


def test_a_programme_that_grows_is_solved_after_a_small_one() -> None:
    """A thread in which the solver has run takes no other number of threads."""
    one = np.ones((1, 1))
    Programme(one[0], one[0], 2 * one[0], one, one[0], one[0]).solve()
    solver = make_solver()
    solver.addVar(2.0, 3.0)
    solver.run()
    assert solver.modelStatusToString(solver.getModelStatus()) == "Optimal"
