"""Rounded values satisfy the rules in decimal arithmetic, and stay near."""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.exact_rounding import rounding
from engine.constraints.exact_rounding.decimals import min_decimals_for_all_values
from engine.constraints.linear import Equation
from engine.constraints.rules import parse_rules
from engine.core.errors import InfeasibleError

CASES = [
    (("a + b = c",), (0, 0, 0, 0)),
    (("a + b = c",), (2, 2, 2, 0)),
    (("a + b = c", "a >= 0", "b >= 0"), (0, 0, 0, -1)),
    (("a + b = c", "c + d = 100"), (1, 0, 1, 1)),
    (("1.16*a + 1.07*b = c",), (0, 0, 2, 0)),
    (("1.16*a + 1.07*b = c", "a >= 0"), (0, 0, 1, 0)),
    (("0.19*a = b", "a + b = c"), (2, 2, 2, 2)),
    (("3*a + 5*b = 7*c", "a >= 0", "b >= 0", "c >= 0"), (0, 0, 0, 0)),
    (("a + b = c", "0 <= a <= 2.5", "b >= 0.5", "c <= 3.5"), (0, 0, 0, 0)),
    (("d >= 0.05", "a = 3"), (0, 0, 0, 1)),
]
COLUMNS = ("a", "b", "c", "d")
number = st.floats(-60, 60)
records = st.lists(st.tuples(number, number, number, number), min_size=1, max_size=8)


def check_exact(rules, decimals, values):
    """Check rules on the decimals that a file would show."""
    for row in values.tolist():
        exact = [Fraction(Decimal(repr(value))) for value in row]
        for places, value in zip(decimals, exact, strict=True):
            assert places < 0 or (value * 10**places).denominator == 1
        for member in rules.members:
            if not isinstance(member, Equation):
                value = exact[member.column]
                assert member.low is None or value >= member.low
                assert member.high is None or value <= member.high
            elif all(decimals[j] >= 0 for j in member.support):
                total = sum(f * v for f, v in zip(member.factors, exact, strict=True))
                assert total == member.constant
    assert not rules.broken(values).any()


@pytest.mark.parametrize(("texts", "decimals"), CASES)
@given(rows=records)
def test_rules_hold_exactly_after_rounding(texts, decimals, rows):
    rules = parse_rules(texts, COLUMNS)
    rounded = rules.round(rules.project(np.array(rows)), decimals)
    check_exact(rules, decimals, rounded)


@pytest.mark.parametrize(("texts", "decimals"), CASES)
def test_rounding_again_changes_nothing(texts, decimals):
    rules = parse_rules(texts, COLUMNS)
    values = rules.project(np.random.default_rng(1).normal(9, 9, (50, 4)))
    rounded_values = rules.round(values, decimals)
    np.testing.assert_allclose(
        rules.round(rounded_values, decimals), rounded_values, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("texts", "decimals"),
    [
        (("a + b = c",), (0, 0, 0)),
        (("a + b = c", "a >= 0", "b >= 0", "c <= 5"), (0, 0, 0)),
        (("a - b = 2", "c >= 0"), (0, 0, 0)),
        (("a + b = c + 1",), (0, 0, 0)),
    ],
)
@given(rows=st.lists(st.tuples(*[st.floats(-6, 6)] * 3), min_size=1, max_size=5))
def test_for_a_rule_that_adds_columns_nothing_is_nearer(texts, decimals, rows):
    rules = parse_rules(texts, ("a", "b", "c"))
    values = rules.project(np.array(rows))
    rounded = rules.round(values, decimals)
    grid = np.array(list(product(range(-9, 10), range(-9, 10), range(-15, 16))), float)
    grid = grid[~rules.broken(grid).any(axis=1)]
    for value, rounded_row in zip(values, rounded, strict=True):
        best = np.abs(grid - value).sum(axis=1).min()
        assert np.abs(rounded_row - value).sum() <= best + 1e-5


def forced(monkeypatch):
    """Let every record be solved by the integer programme."""
    monkeypatch.setattr(
        rounding, "_descend_by_lines", lambda grid, found, target, reals: None
    )
    settle = rounding._adjust_unrounded
    record_counts = []

    def refuse_first(grid, found, values):
        reals, met_mask = settle(grid, found, values)
        record_counts.append(len(met_mask))
        return reals, met_mask & (len(record_counts) > 1)

    monkeypatch.setattr(rounding, "_adjust_unrounded", refuse_first)


@pytest.mark.parametrize(
    ("texts", "decimals"),
    [
        (("3*a + 5*b = 7*c",), (0, 0, 0)),
        (("3*a + 5*b = 7*c", "a >= 0", "b >= 0", "c >= 0"), (0, 0, 0)),
        (("2*a + b = 3*c", "c <= 1"), (0, 0, 0)),
        (("a + b = c", "a >= 0.5"), (0, 0, 0)),
    ],
)
def test_the_integer_programme_finds_the_nearest_rounding(texts, decimals, monkeypatch):
    rules = parse_rules(texts, ("a", "b", "c"))
    values = rules.project(np.random.default_rng(2).normal(2, 2, (6, 3)))
    forced(monkeypatch)
    rounded = rules.round(values, decimals)
    check_exact(rules, decimals, rounded)
    grid = np.array(list(product(range(-18, 19), repeat=3)), float)
    grid = grid[~rules.broken(grid).any(axis=1)]
    for value, rounded_row in zip(values, rounded, strict=True):
        best = np.abs(grid - value).sum(axis=1).min()
        assert np.abs(rounded_row - value).sum() == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize(
    ("texts", "decimals", "says"),
    [
        (("2*a + 2*b = 3",), (0, 0), "2[*]a [+] 2[*]b = 3' leaves no value"),
        (("2*a + 2*b = 3",), (0, 0), "'a' is rounded to whole numbers and 'b' to whol"),
        (("0.2 <= a <= 0.8", "a + b = 1"), (0, 0), "'0.2 <= a <= 0.8' leaves no value"),
        (("3*a + 5*b = 7", "a >= 0", "b >= 0"), (0, 0), "'a >= 0' and 'b >= 0' leave"),
        (("a = 0.125", "b = 1"), (2, 0), "'a = 0.125' .* 'a' is rounded to 2 decimals"),
        (("a + b = 1", "a - b = 0"), (0, 0), "'a [+] b = 1' and 'a - b = 0' leave"),
    ],
)
def test_an_impossible_rounding_is_named(texts, decimals, says):
    rules = parse_rules(texts, ("a", "b"))
    with pytest.raises(InfeasibleError, match=says):
        rules.check_rounding(decimals)
    with pytest.raises(InfeasibleError, match=says):
        rules.round(rules.project(np.zeros((2, 2))), decimals)


@pytest.mark.parametrize("by_programme", [False, True])
def test_an_unrounded_total_stays_near_and_within_its_bound_too(
    by_programme, monkeypatch
):
    rules = parse_rules(("1.16*a + 1.07*b = c", "c <= 30.5"), ("a", "b", "c"))
    values = rules.project(np.random.default_rng(8).normal(12, 9, (40, 3)))
    if by_programme:
        values = values[:5]
        forced(monkeypatch)
    rounded = rules.round(values, (0, 0, -1))
    check_exact(rules, (0, 0, -1), rounded)
    for value, rounded_row in zip(values, rounded, strict=True):
        costs = [
            np.abs(np.array([a, b, 1.16 * a + 1.07 * b]) - value).sum()
            for a in np.floor(value[0]) + np.arange(-3, 5)
            for b in np.floor(value[1]) + np.arange(-3, 5)
            if 1.16 * a + 1.07 * b <= 30.5
        ]
        cost = np.abs(rounded_row - value).sum()
        assert cost <= min(costs) + 1e-6
        assert not by_programme or cost == pytest.approx(min(costs), abs=1e-6)


def test_the_same_rules_are_possible_with_more_decimals():
    rules = parse_rules(("2*a + 2*b = 3",), ("a", "b"))
    rules.check_rounding((1, 1))
    rules.check_rounding((0, -1))
    rounded = rules.round(rules.project(np.array([[0.43, 0.2]])), (0, -1))
    check_exact(rules, (0, -1), rounded)


def test_rules_of_the_published_example_hold_to_the_cent():
    rules = parse_rules(("1.16*exp16 + 1.07*exp7 = total",), ("exp16", "exp7", "total"))
    values = np.random.default_rng(4).lognormal(4, 1, (2000, 3))
    rounded = rules.round(rules.project(values), (0, 0, 2))
    check_exact(rules, (0, 0, 2), rounded)


def test_a_missing_value_stays_and_its_rules_say_nothing():
    rules = parse_rules(("a + b = c", "d >= 0"), COLUMNS)
    values = np.array([[1.2, np.nan, 7.7, -1.0], [1.2, 2.2, 9.9, 1.4]])
    rounded = rules.round(rules.project(values), (0, 0, 0, 0))
    np.testing.assert_array_equal(rounded[0], [1.0, np.nan, 8.0, 0.0])
    assert rounded[1, 0] + rounded[1, 1] == rounded[1, 2]


def test_numbers_too_large_for_their_decimals_are_refused():
    rules = parse_rules(("a + b = c",), ("a", "b", "c"))
    with pytest.raises(InfeasibleError, match="too large"):
        rules.round(np.array([[1e16, 1e16, 2e16]]), (2, 2, 2))


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([1.0, 2.0, -3.0], 0),
        ([1.5, 2.25], 2),
        ([42.01, 59.93, 319.27], 2),
        ([0.1 + 0.2], -1),
        ([1 / 3], -1),
        ([1e-9], 9),
        ([1e15, 1e-1], 1),
        ([np.nan, 0.5], 1),
        ([], 0),
    ],
)
def test_decimals_are_those_that_the_values_are_written_with(values, decimals):
    assert min_decimals_for_all_values(np.array(values)) == decimals


def test_decimals_of_single_precision_are_those_that_are_printed():
    assert min_decimals_for_all_values(np.array([42.01, 59.93], dtype=np.float32)) == 2


def test_rules_whose_rows_are_multiples_but_for_rounding() -> None:
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
