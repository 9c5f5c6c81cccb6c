"""Programmes are solved, and the solver does not take the process down with it."""

import numpy as np
import pytest

from engine.constraints.programme import Programme, solve
from engine.constraints.rules import parse_rules
from engine.core.errors import InfeasibleError


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


@pytest.mark.parametrize(
    ("texts", "decimals"),
    [
        (["2*e = d - 0.5", "e <= 0", "e >= 0"], [0, 0, 0, 0, 2]),
        (["2*e = d - 0.5", "e <= 0.004", "e >= -0.003"], [0, 0, 0, 0, 2]),
        (
            [
                "0.07*a = 0.5*e - 0.5",
                "a + 2*e + 0.5*b = d + 3",
                "c + e = 1.16*a + 3",
                "b <= -2.5",
                "b >= -2.5",
                "a <= 0",
            ],
            [-1, -1, -1, 0, 0],
        ),
    ],
)
def test_bounds_that_leave_one_value_are_judged_like_equations(
    texts: list[str], decimals: list[int]
) -> None:
    """An integer programme over unbounded whole numbers would never end."""
    with pytest.raises(InfeasibleError, match="leave no value when 'd' is rounded"):
        parse_rules(texts, tuple("abcde")).check_rounding(decimals)


def test_bounds_that_leave_one_value_can_be_kept() -> None:
    rules = parse_rules(["2*e = d - 0.5", "e <= 0.25", "e >= 0.25"], tuple("de"))
    rules.check_rounding([0, 2])
    values = np.random.default_rng(0).normal(size=(20, 2))
    assert rules.round(rules.project(values), [0, 2]).tolist() == [[1.0, 0.25]] * 20
