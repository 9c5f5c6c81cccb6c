"""l-diversity, p-sensitivity, t-closeness: naive twins, pycanon, by hand, by axiom."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.measures.confidential import count_by_class, encode_values
from engine.measures.privacy.entropy_l_diversity import min_effective_values
from engine.measures.privacy.l_diversity import min_distinct_values
from engine.measures.privacy.recursive_l_diversity import max_dominance
from engine.measures.privacy.t_closeness import (
    class_distances,
    equal_distances,
    ordered_distances,
)
from engine.pipeline.evaluate import evaluate
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.reference import diversity as naive
from tests.reference.pycanon_figures import CASES, release

FIGURES = json.loads(
    (Path(naive.__file__).parent / "pycanon_figures.json").read_text(encoding="utf-8")
)
PRIVACY = (
    "l-diversity",
    "entropy-l-diversity",
    "recursive-l-diversity",
    "t-closeness",
    "p-sensitive",
)

records = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=40
)


def coded_records(rows: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    keys, values = (np.array(part) for part in zip(*rows, strict=True))
    return pd.factorize(keys)[0], pd.factorize(values, sort=True)[0]


@given(records)
def test_figures_equal_those_of_the_naive_twins(rows: list[tuple[int, int]]) -> None:
    keys, values = coded_records(rows)
    counts, plain = count_by_class(keys, values), (keys.tolist(), values.tolist())
    assert min_distinct_values(counts) == naive.distinct(*plain)
    assert min_effective_values(counts) == pytest.approx(naive.entropy(*plain))
    for l in (2, 3):
        assert max_dominance(counts, l) == pytest.approx(naive.recursive(*plain, l))
    for ordered, find in ((True, ordered_distances), (False, equal_distances)):
        expected = naive.closeness(*plain, ordered)
        np.testing.assert_allclose(find(counts), expected, atol=1e-12)


@given(records)
def test_distances_stay_between_nothing_and_one(rows: list[tuple[int, int]]) -> None:
    keys, values = coded_records(rows)
    for ordered in (True, False):
        distances = class_distances(count_by_class(keys, values, ordered))
        assert ((distances >= 0.0) & (distances <= 1.0 + 1e-12)).all()
        single_class_distances = class_distances(
            count_by_class(np.zeros_like(keys), values, ordered)
        )
        np.testing.assert_allclose(single_class_distances, 0.0, atol=1e-12)


def test_the_published_example_of_t_closeness() -> None:
    """Li et al., section 4.3: incomes 3k to 11k, classes of three."""
    salaries = [3, 4, 5, 6, 11, 8, 7, 9, 10]
    classes = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    codes, _ = encode_values(pd.Series(salaries), Column("salary", Kind.CONTINUOUS))
    distances = ordered_distances(count_by_class(np.array(classes), codes))
    # EMD of {3k, 4k, 5k} is 0.375 and that of {6k, 8k, 11k} is 0.167.
    np.testing.assert_allclose(distances[:2], [0.375, 1 / 6], atol=5e-4)


@pytest.mark.parametrize("name", CASES)
def test_figures_equal_those_of_pycanon(name: str) -> None:
    case, expected = CASES[name], FIGURES[name]
    table, outcome = release(case)
    figures = evaluate(outcome, table, [*PRIVACY, "k-anonymity"])
    assert figures["k-anonymity"].value == expected["k"]
    for column in case["confidential"]:
        pycanon_figures = expected[column]
        assert figures["l-diversity"].per_column[column] == pycanon_figures["l"]
        assert figures["p-sensitive"].per_column[column] == pycanon_figures["l"]
        entropy = figures["entropy-l-diversity"].per_column[column]
        assert math.floor(entropy) == pycanon_figures["entropy_l"]
        closeness = figures["t-closeness"].per_column[column]
        assert closeness == pytest.approx(pycanon_figures["t"], abs=1e-12)
    least_diversity = min(expected[column]["l"] for column in case["confidential"])
    assert figures["l-diversity"].value == least_diversity
    farthest = max(expected[column]["t"] for column in case["confidential"])
    assert figures["t-closeness"].value == pytest.approx(farthest)


def table_of(kind: Kind, values: object) -> Table:
    frame = pd.DataFrame({"x": [1.0, 1.0, 2.0, 9.0, 9.0, 9.0], "secret": values})
    columns = (
        Column("x", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        Column("secret", kind, Role.CONFIDENTIAL),
    )
    return Table.from_frame(frame, Schema(columns))


def test_the_baseline_is_that_of_the_table_before_protection() -> None:
    table = table_of(Kind.NOMINAL, list("abcabc"))
    figures = evaluate(run(Plan(k=3), table), table, PRIVACY)
    # Before, the third record was alone.
    assert figures["l-diversity"].value == 3.0
    assert figures["l-diversity"].baseline == 1.0
    assert figures["l-diversity"].baseline_per_column == {"secret": 1.0}
    assert figures["t-closeness"].value == pytest.approx(0.0, abs=1e-12)
    assert figures["t-closeness"].baseline == pytest.approx(2 / 3)


def test_the_order_of_words_counts_where_it_is_known() -> None:
    words = pd.Series(["low", "low", "low", "mid", "high", "high"])
    dtype = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    ordinal, nominal = Column("s", Kind.ORDINAL), Column("s", Kind.NOMINAL)
    codes, ordered = encode_values(words.astype(dtype), ordinal)
    assert (codes.tolist(), ordered) == ([0, 0, 0, 1, 2, 2], True)
    assert encode_values(words, ordinal)[1] is False
    assert encode_values(words.astype(dtype), nominal)[1] is False


def test_a_missing_value_is_a_value_and_the_last() -> None:
    values = pd.Series([2.0, np.nan, 1.0, np.nan])
    codes, ordered = encode_values(values, Column("s", Kind.CONTINUOUS))
    assert (codes.tolist(), ordered) == ([1, 2, 0, 2], True)
    codes, _ = encode_values(pd.Series(["b", None, "a"]), Column("s", Kind.NOMINAL))
    assert codes.tolist() == [0, 2, 1]


@pytest.mark.parametrize("name", PRIVACY)
def test_without_confidential_columns_there_is_no_figure(name: str) -> None:
    table = table_of(Kind.NOMINAL, list("abcabc"))
    outcome = run(Plan(k=3, confidential=()), table)
    score = evaluate(outcome, table, [name])[name]
    assert math.isnan(score.value)
    assert "No column" in score.note
