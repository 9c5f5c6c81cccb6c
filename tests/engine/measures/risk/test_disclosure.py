"""Intervals, classes and guesses: by hand, and equal to naive twins."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.measures import Score
from engine.measures.reidentification.sampling import sample_indices, share_interval
from engine.measures.risk.attribute_disclosure import (
    N_DRAWS,
    count_right_guesses,
    expected_right_guesses,
    values_and_tolerance,
)
from engine.pipeline.evaluate import evaluate
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.measures.tables import averaged, replaced, score
from tests.reference import risks as naive


def test_interval_disclosure_is_that_of_sdcmicro() -> None:
    """The function of R's sdcMicro, line by line."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    xm = x + rng.normal(size=(300, 4)) * 0.05
    sds = xm.std(axis=0, ddof=1)
    mi, ma = xm - 0.05 * sds, xm + 0.05 * sds
    w = np.isin(((x < mi) | (x > ma)).sum(axis=1), [0, 1])
    figure = score("interval-disclosure", replaced(x, xm))
    assert 5.0 < figure.value < 95.0
    assert figure.value == pytest.approx(100 * w.mean())
    assert figure.baseline is not None
    assert figure.baseline < figure.value


def test_rank_interval_disclosure_by_hand() -> None:
    before = np.arange(100.0)
    # An interval of r per cent reaches r ranks down and up: 2 r + 1 of 100 values, but
    # for the ends.
    figure = score("rid", replaced(before, before))
    assert figure.value == 100.0
    chance = [
        sum(min(99, i + r) - max(0, i - r) + 1 for i in range(100)) / 10_000
        for r in range(1, 11)
    ]
    assert figure.baseline == pytest.approx(100 * np.mean(chance))
    moved = np.roll(before, 5)  # 5 ranks off, or 95: found from 5 per cent on
    figure = score("rid", replaced(before, moved))
    assert figure.value == pytest.approx(100 * 0.95 * 6 / 10)


def test_class_risks_by_hand() -> None:
    labels = [0, 0, 1, 1, 1, 2, 2, 2, 2]
    weights = np.array([1.0, 9.0, 2, 2, 2, 1, 1, 1, 1])
    plain = averaged(np.arange(9.0) * 1.1, labels)
    assert score("prosecutor-risk", plain).value == pytest.approx(50.0)
    after = plain.released
    weighted = replaced(np.arange(9.0) * 1.1, after, weights=weights)
    # 10, 6 and 4 people: the last are all there are.
    assert score("prosecutor-risk", weighted).value == pytest.approx(50.0)
    assert score("journalist-risk", weighted).value == pytest.approx(25.0)
    # By the sums of the negative binomial: p / (1 - p) + p^2 / (1 - p)^2 log(p), f = 2.
    two = 0.2 / 0.8 + 0.2**2 / 0.8**2 * np.log(0.2)
    three = naive.inverse_population(3, 0.5)
    expected = 100 * (2 * two + 3 * three + 4 / 4) / 9
    assert score("marketer-risk", weighted).value == pytest.approx(expected)
    assert "independently" in score("marketer-risk", weighted).note


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.25, 1.0, 3.0]),
)
def test_guesses_equal_the_naive_twin(
    cells: list[tuple[int, int]], near: float
) -> None:
    keys, values = zip(*cells, strict=True)
    classes = pd.factorize(np.array(keys))[0]
    n_right = count_right_guesses(classes, np.array(values, dtype=float), near).sum()
    assert n_right == naive.guessed(keys, values, near)


def patients() -> Table:
    frame = pd.DataFrame(
        {
            "age": [20.0, 21.0, 22.0, 60.0, 61.0, 62.0],
            "illness": ["flu", "flu", "gout", "gout", "none", "flu"],
            "cost": [1000.0, 1001.0, 5000.0, 1002.0, 9000.0, 9001.0],
        }
    )
    columns = (
        Column("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        Column("illness", Kind.NOMINAL, Role.CONFIDENTIAL),
        Column("cost", Kind.CONTINUOUS, Role.CONFIDENTIAL),
    )
    return Table.from_frame(frame, Schema(columns))


def disclosed(table: Table, **choices: object) -> Score:
    outcome = run(Plan(k=3, **choices), table)
    return evaluate(outcome, table, ["attribute-disclosure"])["attribute-disclosure"]


def test_attribute_disclosure_by_hand() -> None:
    figure = disclosed(patients())
    # flu for two of the first three, anything for one of the others.
    assert figure.per_column["illness"] == pytest.approx(100 * 3 / 6)
    # The mean of the largest count in 3 of flu, flu, flu, gout, gout, none.
    largest = np.mean(
        [max(map(three.count, three)) for three in combinations("fffggn", 3)]
    )
    assert figure.baseline_per_column["illness"] == pytest.approx(100 * largest / 3)
    # About 1,000 for two of the first three, about 9,000 for two of the others.
    assert figure.per_column["cost"] == pytest.approx(100 * 4 / 6)
    assert 100 / 3 < figure.baseline_per_column["cost"] < 100 * 4 / 6
    assert figure.value == figure.per_column["cost"]
    assert figure.baseline == figure.baseline_per_column["cost"]


def test_guesses_by_chance_are_those_of_classes_drawn_at_random() -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([3, 5, 5, 7, 40])
    values = rng.choice(4.0 * np.arange(4), 60, p=[0.6, 0.2, 0.15, 0.05])
    exact = expected_right_guesses(sizes, values, 0.0, 0)
    labels = np.repeat(np.arange(5), sizes)
    drawn = [
        count_right_guesses(labels, rng.permutation(values), 0.0).sum()
        for _ in range(1500)
    ]
    error = np.std(drawn) / len(drawn) ** 0.5
    assert abs(exact - np.mean(drawn)) < 4 * error
    # With a tolerance they are drawn; of values far apart that makes no difference.
    by_draws = expected_right_guesses(sizes, values, 0.5, 1)
    assert abs(by_draws - exact) < 4 * np.std(drawn) / N_DRAWS**0.5


@pytest.mark.parametrize("k", [3, 8])
def test_classes_that_tell_nothing_are_as_good_as_their_baseline(k: int) -> None:
    rng = np.random.default_rng(k)
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=2000),
            "illness": rng.choice(list("aaabbcd"), 2000),
            "cost": rng.lognormal(size=2000),
        }
    )
    table = Table.from_frame(frame, patients().schema)
    figures = evaluate(run(Plan(k=k), table), table, ["attribute-disclosure"])
    score = figures["attribute-disclosure"]
    for name, value in score.per_column.items():
        assert value == pytest.approx(score.baseline_per_column[name], abs=2.5)
        assert value > 100 / k


def test_without_confidential_columns_nothing_is_disclosed() -> None:
    figure = disclosed(patients(), confidential=())
    assert math.isnan(figure.value)
    assert "No column" in figure.note


def test_missing_values_and_dates_are_guessed_as_such() -> None:
    column = Column("x", Kind.CONTINUOUS)
    values, near = values_and_tolerance(pd.Series([1.0, np.nan, 2.0, np.nan]), column)
    assert values[1] == values[3] > 2.0 + 2 * near
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03", None]))
    values, near = values_and_tolerance(days, column)
    assert values[:2].tolist() == [0.0, 2.0]
    assert near == pytest.approx(0.1 * math.sqrt(2))
    words, near = values_and_tolerance(
        pd.Series(["b", "a", "b"]), Column("x", Kind.NOMINAL)
    )
    assert (words.tolist(), near) == ([0.0, 1.0, 0.0], 0.0)


def test_an_interval_of_a_share_is_wilsons() -> None:
    # Newcombe 1998, table I: 15 of 148 is 0.0624 to 0.1605, and 0 of 20 up to 0.1611.
    low, high = share_interval(15 / 148, 148)
    assert (round(low, 4), round(high, 4)) == (0.0624, 0.1605)
    low, high = share_interval(0.0, 20)
    assert (low, round(high, 4)) == (0.0, 0.1611)


def test_a_sample_is_drawn_once_from_each_seed() -> None:
    assert sample_indices(5, 9, 0).tolist() == [0, 1, 2, 3, 4]
    indices = sample_indices(1000, 10, 0)
    np.testing.assert_array_equal(indices, sample_indices(1000, 10, 0))
    assert len(set(indices.tolist())) == 10
    assert indices.tolist() != sample_indices(1000, 10, 1).tolist()
