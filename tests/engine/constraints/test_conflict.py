"""Rules that exclude each other are found, and no innocent one is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.conflict import find_minimal_conflict, is_satisfiable
from engine.constraints.parsing.syntax import parse_rule
from engine.constraints.rules import parse_rules
from engine.core.errors import ParameterError

COLUMNS = ("a", "b", "c")


def conflict(*texts):
    members = [parse_rule(text, COLUMNS) for text in texts]
    return [member.text for member in find_minimal_conflict(members, is_satisfiable)]


@pytest.mark.parametrize(
    ("texts", "wrong"),
    [
        (["a = 1", "2*a = 3"], ["a = 1", "2*a = 3"]),
        (["a + b = c", "a = 1", "2*a = 3"], ["a = 1", "2*a = 3"]),
        (["a >= 5", "b >= 0", "a <= 3"], ["a >= 5", "a <= 3"]),
        (["5 <= a <= 3"], ["5 <= a <= 3"]),
        (
            ["a + b = c", "a >= 2", "b >= 3", "c <= 4", "a <= 9"],
            ["a + b = c", "a >= 2", "b >= 3", "c <= 4"],
        ),
        (["a + b = 1", "b + c = 1", "a - c = 1"], None),
        (["a + b = c", "2*a + 2*b = 2*c", "a >= 0"], []),
        (["0.1*a + 0.2*b = 0.3*c", "a + 2*b = 3*c"], []),
        (["0.1*a = 0.3", "a = 3"], []),
    ],
)
def test_the_rules_named_are_those_that_exclude_each_other(texts, wrong):
    assert conflict(*texts) == (texts if wrong is None else wrong)


numbers = st.integers(-3, 3)
equations = st.builds(
    lambda a, b, c, d: f"{a}*a {b:+}*b {c:+}*c = {d}".replace("--", "-"),
    numbers.filter(bool),
    numbers,
    numbers,
    numbers,
)
bounds = st.builds(
    lambda name, sign, limit: f"{name} {sign} {limit}",
    st.sampled_from(COLUMNS),
    st.sampled_from(["<=", ">="]),
    numbers,
)


@given(st.lists(equations | bounds, min_size=1, max_size=7, unique=True))
def test_of_the_rules_named_none_can_be_left_out(texts):
    texts = [text.replace("+-", "-") for text in texts]
    wrong = conflict(*texts)
    if not wrong:
        assert is_satisfiable([parse_rule(text, COLUMNS) for text in texts])
        return
    members = [parse_rule(text, COLUMNS) for text in wrong]
    assert not is_satisfiable(members)
    for member in members:
        assert is_satisfiable([each for each in members if each is not member])


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (("a >= 5", "a <= 3"), r"'a >= 5' and 'a <= 3' exclude each other"),
        (("5 <= a <= 3",), "can never hold"),
        (("a + b = -1", "a >= 0", "b >= 0"), "contradicts 'a [+] b = -1' and 'a >= 0'"),
    ],
)
def test_the_message_names_all_of_them(texts, says):
    with pytest.raises(ParameterError, match=says):
        parse_rules(texts, COLUMNS)
