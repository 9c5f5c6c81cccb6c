"""Programmes are solved, and the solver does not take the process down with it."""

import numpy as np
import pytest

from engine.constraints import parse_rules
from engine.linear.programme import Programme, solve


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
    x, impossible = solve(Programme(np.zeros(3), none, all_, A, low, high, whole))
    assert not impossible
    assert x is not None
    assert x[:2] == pytest.approx(np.rint(x[:2]), abs=1e-9)
    assert (A @ x >= low - 1e-9).all()
    assert (A @ x <= high + 1e-9).all()


def test_rules_that_lead_there() -> None:
    rules = parse_rules(
        [
            "1*e + 1*a + 0.5*d = 7*c - 0.5",
            "7*b + 2*a = 3*e + 3",
            "1*e + 1*c + 1*a = 2*b",
            "b <= 100",
            "e <= 100",
            "a <= 10",
        ],
        tuple("abcde"),
    )
    decimals = [0, 1, -1, 2, 0]
    rules.check_rounding(decimals)
    values = np.random.default_rng(0).normal(15.0, 30.0, (50, 5))
    rounded = rules.round(rules.project(values), decimals)
    assert not rules.broken(rounded).any()


def test_a_programme_without_an_answer() -> None:
    one = np.ones((1, 1))
    found = solve(
        Programme(
            np.zeros(1), np.zeros(1), np.ones(1), one, np.full(1, 2.0), np.full(1, 3.0)
        )
    )
    assert found == (None, True)
