"""Edits of all kinds are kept, by values as near as trying all of them finds."""

import itertools

import numpy as np
import pandas as pd
import pytest

from engine import Plan, run
from engine.bounds import NO_BOUND
from engine.constraints.rules import parse_rules
from engine.core.errors import InfeasibleError, ParameterError
from engine.data.kinds import Role
from engine.files import read_table

COLUMNS = ("a", "b", "c")

CUBE = np.array(list(itertools.product(range(-1, 8), repeat=3)), dtype=float)

LINEAR = [
    ("a <= b",),
    ("0 <= a <= b <= c",),
    ("2*a + b <= 7",),
    ("2*a + b <= 7", "a + b = c"),
    ("a + 3 <= 2*b", "b <= c", "a >= 1"),
]
OTHERS = [
    ("a*b = c",),
    ("a*b = c", "a <= b"),
    ("a*b <= c", "a >= 0"),
    ("a / b <= 2",),
    ("a / b = c",),
    ("if a > 2 then b = 0",),
    ("if a > 2 then b = 0", "b + c = 4"),
    ("if a = 0 then b = 0", "if b != 0 then c >= 2"),
    ("if a <= 3 and b > 1 then c = 1 or c = 6",),
    ("if a > 1 then b*c = 6",),
    ("if a >= 0 then b != c",),
]


def holding(rules):
    """All whole values near by that keep the rules."""
    return CUBE[~rules.broken(CUBE).any(axis=1)]


def starts(n=25):
    rng = np.random.default_rng(7)
    return np.round(rng.uniform(0.0, 6.0, (n, 3)), 2)


@pytest.mark.parametrize("texts", LINEAR + OTHERS)
def test_rounded_values_keep_them_and_are_as_near_as_trying_all_finds(texts):
    rules = parse_rules(texts, COLUMNS)
    possible = holding(rules)
    values = starts()
    exact = rules.project(values)
    assert not rules.broken(exact).any()
    written = rules.round(exact, (0, 0, 0))
    assert not rules.broken(written).any()
    assert (written == np.rint(written)).all()
    distances = np.abs(written - exact).sum(axis=1)
    best = np.abs(possible[None] - exact[:, None]).sum(axis=2).min(axis=1)
    # Steps along the basis and held products do not try everything.
    assert (distances <= best + 2.0).all()
    assert np.mean(distances <= best + 1e-9) >= 0.8


@pytest.mark.parametrize("texts", LINEAR + OTHERS[5:9])
def test_nothing_that_keeps_them_is_nearer_before_rounding(texts):
    rules = parse_rules(texts, COLUMNS)
    fine = np.array(list(itertools.product(np.linspace(-1, 7, 33), repeat=3)))
    possible = fine[~rules.broken(fine).any(axis=1)]
    values = starts(10)
    sq_distances = np.square(rules.project(values) - values).sum(axis=1)
    best = np.square(possible[None] - values[:, None]).sum(axis=2).min(axis=1)
    assert (sq_distances <= best + 1e-4).all()


@pytest.mark.parametrize("texts", LINEAR + OTHERS)
def test_values_that_keep_them_stay(texts):
    rules = parse_rules(texts, COLUMNS)
    valid_rows = holding(rules)
    np.testing.assert_array_equal(rules.project(valid_rows), valid_rows)
    np.testing.assert_array_equal(rules.round(valid_rows, (0, 0, 0)), valid_rows)


def test_inequalities_hold_to_the_last_bit_without_rounding():
    rules = parse_rules(("a <= b", "a + b <= c"), COLUMNS)
    values = np.random.default_rng(3).normal(0.0, 1e6, (500, 3))
    projection = rules.project(values)
    a, b, c = projection.T
    assert (a <= b).all()
    assert (a + b <= c).all()


def test_a_product_is_kept_in_decimals():
    rules = parse_rules(("price*count = total",), ("price", "count", "total"))
    rng = np.random.default_rng(5)
    values = np.column_stack(
        [rng.uniform(0.5, 30, 60), rng.uniform(1, 9, 60), rng.uniform(1, 200, 60)]
    )
    for places in ((2, 0, 2), (2, 0, 0), (0, 0, 0)):
        written = rules.round(rules.project(values), places)
        units = np.rint(written * 10.0 ** np.array(places)).astype(int)
        back = units / 10.0 ** np.array(places)
        np.testing.assert_array_equal(back, written)
        price, count, total = units.T
        assert (price * count * 10 ** places[2] == total * 10 ** places[0]).all()


def test_rules_without_any_value_are_named():
    with pytest.raises(ParameterError, match="contradict"):
        parse_rules(("if a >= 0 then b = 1", "a >= 1", "b >= 2"), COLUMNS)
    rules = parse_rules(("a*b = c", "a = b", "c = 2"), COLUMNS)
    with pytest.raises(InfeasibleError, match=r"a\*b = c"):
        rules.round(np.ones((1, 3)), (0, 0, 0))


def people(n=90):
    rng = np.random.default_rng(11)
    sex = rng.choice(["m", "f"], n)
    kids = np.where(sex == "f", rng.integers(0, 4, n), 0)
    price = np.round(rng.uniform(1, 9, n), 2)
    count = rng.integers(1, 6, n)
    gross = rng.integers(100, 900, n)
    return pd.DataFrame(
        {
            "sex": sex,
            "kids": kids,
            "gross": gross,
            "net": (gross * rng.uniform(0.5, 1.0, n)).astype(int),
            "price": price,
            "count": count,
            "total": np.round(price * count, 2),
        }
    )


RULES = (
    "if sex = m then kids = 0",
    "net <= gross",
    "price*count = total",
    "net / gross >= 0.5",
)


@pytest.mark.parametrize("method", ["mdav", "individual-ranking", "fuzzy"])
def test_releases_keep_all_kinds_and_the_input_is_reported(method):
    frame = people()
    frame.loc[0, ["sex", "kids"]] = "m", 2
    frame.loc[1, "net"] = frame.loc[1, "gross"] + 5
    names = tuple(frame.columns)
    table = read_table(frame, roles=dict.fromkeys(names, Role.QUASI_IDENTIFIER))
    plan = Plan(method=method, k=4, quasi_identifiers=names, constraints=RULES)
    if method == "individual-ranking":
        with pytest.raises(ParameterError, match="break up its groups"):
            run(plan, table, bound=NO_BOUND)
        return
    outcome = run(plan, table, bound=NO_BOUND)
    assert list(outcome.rules_broken.values()) == [1, 1, 0, 0]
    out = outcome.release.frame
    assert (out["kids"][out["sex"] == "m"] == 0).all()
    assert (out["net"] <= out["gross"]).all()
    assert (out["net"] >= 0.5 * out["gross"]).all()
    cents = np.rint(out["price"] * 100).astype(int)
    assert (cents * out["count"] == np.rint(out["total"] * 100).astype(int)).all()
    for name in names:
        assert out[name].dtype == frame[name].dtype
    if method == "mdav":
        assert out.value_counts().min() >= 4


def test_words_that_contradict_are_chosen_from_a_record_of_the_group():
    frame = pd.DataFrame(
        {
            "sex": ["m", "m", "m", "f", "f", "f"] * 4,
            "state": ["single", "married", "married", "widow", "widow", "single"] * 4,
            "age": np.arange(24),
        }
    )
    rule = "if sex = m then state = single"
    names = tuple(frame.columns)
    table = read_table(frame, roles=dict.fromkeys(names, Role.QUASI_IDENTIFIER))
    plan = Plan(method="mdav", k=6, quasi_identifiers=names, constraints=(rule,))
    out = run(plan, table, bound=NO_BOUND).release.frame
    assert (out["state"][out["sex"] == "m"] == "single").all()


def test_a_word_and_a_number_are_told_apart():
    frame = people()
    names = tuple(frame.columns)
    table = read_table(frame, roles=dict.fromkeys(names, Role.QUASI_IDENTIFIER))
    for rule, says in (
        ("if kids = many then net = 0", "holds numbers"),
        ("sex*net = gross", "holds words"),
        ("sex >= 0", "no numbers"),
    ):
        plan = Plan(method="mdav", k=4, quasi_identifiers=names, constraints=(rule,))
        with pytest.raises(ParameterError, match=says):
            run(plan, table, bound=NO_BOUND)
