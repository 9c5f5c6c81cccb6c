"""Linear rules are read exactly, and released values obey them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.rules import parse_rules
from engine.core.errors import ParameterError
from tests.engine.constraints.arrays import linear_arrays

COLUMNS = ("net", "tax", "gross", "number of staff")


def test_a_rule_is_read_with_all_terms_on_one_side() -> None:
    rules = parse_rules(("1.16*net + 1.07 * tax = gross - 3",), COLUMNS)
    A, b, _, _ = linear_arrays(rules)
    np.testing.assert_array_equal(A, [[1.16, 1.07, -1.0, 0.0]])
    np.testing.assert_array_equal(b, [-3.0])


@pytest.mark.parametrize(
    ("text", "factors", "constant"),
    [
        ("net = gross", [1, 0, -1, 0], 0),
        ("-net + 2*3*tax = 0", [-1, 6, 0, 0], 0),
        ("net + net = 1e2", [2, 0, 0, 0], 100),
        ("`number of staff` = 2*net", [-2, 0, 0, 1], 0),
        ("net*2 = .5 - tax", [2, 1, 0, 0], 0.5),
    ],
)
def test_ways_to_write_a_rule(text: str, factors: list[float], constant: float) -> None:
    A, b, _, _ = linear_arrays(parse_rules((text,), COLUMNS))
    np.testing.assert_allclose(A, [factors])
    np.testing.assert_allclose(b, [constant])


@pytest.mark.parametrize(
    "text",
    [
        "net + tax",
        "net = tax = gross",
        "net + = gross",
        "net gross = tax",
        "2 * = gross",
        "= gross",
        "net ^ 2 = gross",
        "* net = gross",
    ],
)
def test_an_unreadable_rule_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="rule"):
        parse_rules((text,), COLUMNS)


def test_a_rule_about_another_column_names_it() -> None:
    with pytest.raises(ParameterError, match="'profit'"):
        parse_rules(("net + profit = gross",), COLUMNS)


def test_a_contradicting_rule_is_named() -> None:
    with pytest.raises(ParameterError, match=r"'2\*net = 3' contradicts"):
        parse_rules(("net + tax = gross", "net = 1", "2*net = 3"), COLUMNS)


def test_a_rule_that_cancels_out_is_refused() -> None:
    with pytest.raises(ParameterError, match="says nothing"):
        parse_rules(("net = net",), COLUMNS)


numbers = st.integers(-1000, 1000)


@given(st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=8))
def test_projected_values_satisfy_all_rules(rows: list[tuple[int, ...]]) -> None:
    rules = parse_rules(("net + tax = gross", "`number of staff` = 2*net"), COLUMNS)
    values = np.array(rows, dtype=float)
    projected = rules.project(values)
    assert not rules.broken(projected).any()
    A = linear_arrays(rules)[0]
    np.testing.assert_allclose(projected @ A.T, 0.0, atol=1e-9)
    # Orthogonal: the move lies in the span of the rules, so no nearer point exists.
    move = projected - values
    _, residual, _, _ = np.linalg.lstsq(A.T, move.T)
    np.testing.assert_allclose(residual, 0.0, atol=1e-6)


def test_values_that_nearly_obey_are_moved_until_they_do() -> None:
    rules = parse_rules(["a + b = c", "a >= 0"], ("a", "b", "c"))
    rough = np.array([[0.0, 300.0, 300.0 + 2e-7], [100.0, 300.0, 400.0 - 2e-7]])
    assert not rules.broken(rough).any()
    exact = rules.project(rough)
    assert not rules.broken(exact, tolerance=1e-15).any()
    np.testing.assert_allclose(exact, rough, atol=3e-7, rtol=0)


def test_values_that_obey_come_back_untouched() -> None:
    rules = parse_rules(("net + tax = gross",), COLUMNS)
    values = np.array([[0.1, 0.2, 0.30000000000000004, 7.0]])
    assert rules.project(values) is values


def test_broken_is_relative_to_the_size_of_the_terms() -> None:
    rules = parse_rules(("net + tax = gross",), COLUMNS)
    values = np.array([[1e12, 1.0, 1e12 + 1.001, 0], [1.0, 1.0, 2.001, 0]])
    np.testing.assert_array_equal(rules.broken(values), [[False], [True]])


def test_bounds_are_checked_exactly() -> None:
    rules = parse_rules(("0 <= net <= 0.3",), COLUMNS)
    values = np.zeros((3, 4))
    values[:, 0] = [0.3, 0.1 + 0.2, -1e-12]
    np.testing.assert_array_equal(rules.broken(values)[:, 0], [False, True, True])


def test_a_missing_value_breaks_no_rule_and_hides_none() -> None:
    rules = parse_rules(("net + tax = gross", "`number of staff` >= 1"), COLUMNS)
    nan = np.nan
    values = np.array([[1, nan, 9, 0], [1, 1, 9, nan], [nan, 1, 2, 3]], dtype=float)
    np.testing.assert_array_equal(
        rules.broken(values), [[False, True], [True, False], [False, False]]
    )


def test_breaches_count_records_and_name_the_worst_first() -> None:
    rules = parse_rules(("net + tax = gross", "tax >= 0"), COLUMNS)
    values = np.array(
        [[1, 1, 2, 0], [1, 1, 5, 0], [1, -2, 9, 0], [5, 0, 5, 0], [1, 1, 5, 0]]
    ).astype(float)
    first, second = rules.breaches(values, worst=2)
    assert (first.text, first.records) == ("net + tax = gross", 3)
    assert first.worst == ((2, -10.0), (1, -3.0))
    assert (second.records, second.worst) == (1, ((2, -2.0),))


def test_scaled_rules_say_the_same_about_scaled_values() -> None:
    rules = parse_rules(("1.16*net + 1.07*tax = gross", "tax >= 1"), COLUMNS)
    values = np.random.default_rng(0).normal(0, 5, (40, 4))
    values[20:] = rules.project(values[20:])
    centre, scale = values.mean(axis=0), values.std(axis=0)
    scaled = rules.rescaled(centre, scale)
    X = (values - centre) / scale
    shift = np.zeros((40, 4))
    shift[:, 1] = 1e-12  # scaling and back can cross a bound by a rounding error
    np.testing.assert_array_equal(
        scaled.broken(X + shift)[:, 0], rules.broken(values)[:, 0]
    )
    back = scaled.project(X) * scale + centre
    assert not rules.broken(back + shift * scale).any()


def test_parts_are_the_columns_that_equations_tie_together() -> None:
    columns = ("a", "b", "c", "d", "e", "f")
    rules = parse_rules(("d = a", "b + e = 1", "e >= 0", "e = a"), columns)
    parts = [(part, some.texts) for part, some in rules.connected_parts()]
    assert parts == [([0, 1, 3, 4], rules.texts), ([2], ()), ([5], ())]
    rules = parse_rules(("a + c = 1", "b = 2*d", "c >= 0", "f <= 1"), columns)
    parts = [(part, some.texts) for part, some in rules.connected_parts()]
    assert parts == [
        ([0, 2], ("a + c = 1", "c >= 0")),
        ([1, 3], ("b = 2*d",)),
        ([4], ()),
        ([5], ("f <= 1",)),
    ]
