"""Rules are read exactly, or refused with the reason."""

from fractions import Fraction

import pytest

from engine.constraints.syntax import Bound, Equation, read_rule
from engine.core.errors import ParameterError

COLUMNS = ("age", "net", "gross", "number of staff")


def test_numbers_are_kept_as_they_were_typed():
    rule = read_rule("1.16*net + 0.1*age = gross - 3", COLUMNS)
    assert isinstance(rule, Equation)
    assert rule.factors == (Fraction(1, 10), Fraction(29, 25), -1, 0)
    assert rule.constant == -3
    assert rule.support == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "column", "low", "high"),
    [
        ("age >= 0", 0, 0, None),
        ("0 <= age", 0, 0, None),
        ("age <= 120", 0, None, 120),
        ("0 <= age <= 120", 0, 0, 120),
        ("120 >= age >= 0", 0, 0, 120),
        ("0 ≤ age ≤ 120", 0, 0, 120),
        ("-2*net <= 5", 1, Fraction(-5, 2), None),
        ("net + net >= 0.5", 1, Fraction(1, 4), None),
        ("net - 1 >= 2 - net", 1, Fraction(3, 2), None),
        ("`number of staff` >= 1", 3, 1, None),
        ("1e2 >= net", 1, None, 100),
    ],
)
def test_ways_to_write_a_bound(text, column, low, high):
    assert read_rule(text, COLUMNS) == Bound(text, column, low, high)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("net <= gross", "several columns"),
        ("0 <= net <= gross", "several columns"),
        ("0 <= net + age <= 9", "several columns"),
        ("net <= 9 <= gross", "cannot be read"),
        ("0 <= net >= 9", "cannot be read"),
        ("0 <= net = gross", "exactly one equals sign"),
        ("net", "exactly one equals sign"),
        ("net > 0", "<= and >="),
        ("1,16*net = gross", "decimal point"),
        ("net / 2 = gross", "numbers times columns"),
        ("net - net >= 3", "says nothing"),
        ("profit >= 0", "'profit'"),
        ("", "exactly one equals sign"),
        ("1e999*net = gross", "cannot be read"),
    ],
)
def test_what_cannot_be_a_rule_is_refused_with_the_reason(text, says):
    with pytest.raises(ParameterError, match=says):
        read_rule(text, COLUMNS)


def test_a_comma_inside_a_name_is_no_decimal_comma():
    rule = read_rule("`sales 1,2` >= 0", ("sales 1,2",))
    assert isinstance(rule, Bound)


def test_a_wrong_name_is_told_from_a_wrong_role():
    known = (*COLUMNS, "tax")
    with pytest.raises(ParameterError, match="'tax', which is not a quasi-identifier"):
        read_rule("net + tax = gross", COLUMNS, known)
    with pytest.raises(ParameterError, match="no such column: did you mean 'gross'"):
        read_rule("net = gros", COLUMNS, known)
    with pytest.raises(ParameterError, match=r"no such column\.$"):
        read_rule("net = xyz", COLUMNS, known)


def test_a_rule_of_many_terms_is_read_or_refused_without_trying_all_ways():
    many = " + ".join(["2*3*net"] * 500)
    assert isinstance(read_rule(f"{many} = gross", COLUMNS), Equation)
    with pytest.raises(ParameterError, match="cannot be read"):
        read_rule(f"{many} = gross *", COLUMNS)
