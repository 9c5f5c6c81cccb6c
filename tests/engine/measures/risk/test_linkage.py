"""Linkage attacks: equal to naive twins, and to what common sense says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from engine.core.context import RunContext
from engine.core.errors import Cancelled
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.measures import Score, measures
from engine.measures.reidentification import linkage
from engine.measures.reidentification.agreement import (
    agreement_weights,
    distinct_patterns,
)
from engine.pipeline.evaluate import evaluate, make_measured_release
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.measures.tables import averaged, replaced, score
from tests.reference import risks as naive

ATTACKS = ("record-linkage", "group-linkage", "probabilistic-linkage")
PLACES = Hierarchy(
    (
        ("4350", "435*", "*"),
        ("1000", "100*", "*"),
        ("4351", "435*", "*"),
        ("4360", "436*", "*"),
        ("1001", "100*", "*"),
    )
)


def test_weights_are_learnt_as_the_data_were_made() -> None:
    rng = np.random.default_rng(0)
    n, m, u = 1_000, [0.5, 0.3, 0.15, 0.05], [0.02, 0.08, 0.2, 0.7]
    levels = rng.choice(4, p=u, size=(n * n, 6))
    levels[:: n + 1] = rng.choice(4, p=m, size=(n, 6))  # record i is released as i
    learnt_weights = agreement_weights(
        *distinct_patterns(levels.T.astype(np.int8), np.ones(n * n)), 1 / n
    )
    expected = np.log(np.array(m) / np.array(u))
    np.testing.assert_allclose(learnt_weights, np.tile(expected, (6, 1)), atol=0.5)


def test_patterns_count_every_pair_also_of_many_attributes() -> None:
    rng = np.random.default_rng(1)
    levels = rng.integers(0, 4, (40, 50)).astype(np.int8)
    levels = np.vstack([levels, levels[:7]])
    patterns, counts = distinct_patterns(levels.T, np.ones(47))
    assert patterns.shape == (50, 40)
    assert sorted(counts) == [1] * 33 + [2] * 7
    level_rows = {tuple(row) for row in levels.tolist()}
    assert {tuple(column) for column in patterns.T.tolist()} == level_rows


@pytest.mark.parametrize("name", ["record-linkage", "probabilistic-linkage"])
def test_one_class_hides_everybody_equally(name: str) -> None:
    before = np.random.default_rng(2).normal(size=(50, 4))
    figure = score(name, averaged(before, [0] * 50))
    assert figure.value == pytest.approx(100 / 50)
    assert figure.baseline == pytest.approx(100 / 50)


def test_nobody_is_found_more_often_than_one_in_k() -> None:
    before = np.random.default_rng(3).normal(size=(90, 3))
    protected = averaged(before, np.arange(90) % 18)  # random groups of five
    for name in ("record-linkage", "probabilistic-linkage"):
        assert score(name, protected).value <= 20.0
        assert score(name, protected).baseline == pytest.approx(20.0)
    assert score("group-linkage", protected).baseline == pytest.approx(100 * 5 / 90)


def mixed(n: int = 24) -> tuple[Table, Outcome]:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n).astype(float),
            "place": rng.choice([row[0] for row in PLACES.rows], n),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    quasi = Role.QUASI_IDENTIFIER
    columns = (
        Column("age", Kind.CONTINUOUS, quasi),
        Column("place", Kind.NOMINAL, quasi, hierarchy=PLACES),
        Column("sex", Kind.NOMINAL, quasi),
    )
    table = Table.from_frame(frame, Schema(columns))
    rules = {"place": "generalise", "sex": "mode"}
    return table, run(Plan(method="mdav-mixed", k=3, aggregations=rules), table)


def test_categories_fit_what_the_released_one_stands_for() -> None:
    table, outcome = mixed()
    before, after = table.frame, outcome.release.frame
    released = [tuple(row) for row in after.to_numpy().tolist()]
    assert {"435*", "*"} & set(after["place"])
    above = {row[0]: row for row in PLACES.rows}
    n = len(before)

    def cost(name: str) -> float:
        shares = before[name].value_counts(normalize=True).to_numpy()
        return float(2 / (1 - shares @ shares))

    def fit(i: int, c: int) -> float:
        record, other = before.iloc[i], after.iloc[c]
        age = (record["age"] - other["age"]) / before["age"].std(ddof=0)
        place = other["place"] not in above[record["place"]]
        sex = record["sex"] != other["sex"]
        return -float(age**2 + place * cost("place") + sex * cost("sex"))

    records, groups = naive.best(n, fit, released)
    figures = evaluate(outcome, table, ["record-linkage", "group-linkage"])
    assert figures["record-linkage"].value == pytest.approx(100 * np.mean(records))
    assert figures["group-linkage"].value == pytest.approx(100 * np.mean(groups))


def test_cells_that_stay_missing_are_compared_too() -> None:
    before = np.random.default_rng(4).normal(size=(12, 2))
    missing = np.zeros((12, 2), bool)
    missing[:6, 1] = True
    before[missing] = 0.0
    protected = replaced(before, before, missing=missing)
    sides = linkage.linkage_problem(protected)
    assert sides.places[:, 0].tolist() == [1] * 6 + [0] * 6
    assert sides.chance == pytest.approx([0.5])
    assert score("record-linkage", protected).value == 100.0


def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkage, "MAX_COMPARED_CELLS", 1)
    monkeypatch.setattr(linkage, "MIN_LINKED_RECORDS", 200)
    monkeypatch.setattr(linkage, "CELLS_PER_CALL", 1_000)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_sample_says_so_and_covers_the_truth(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = np.random.default_rng(5).normal(size=(900, 2))
    order = np.lexsort(before.T)
    labels = np.empty(900, dtype=int)
    labels[order] = np.arange(900) // 3
    protected = averaged(before, labels)
    truth: Score = score(name, protected)
    assert truth.interval is None
    assert truth.sample is None
    _small(monkeypatch)
    figure = score(name, protected)
    assert figure.sample == 200
    assert figure.note == "Estimated from 200 of 900 records."
    assert figure.interval is not None
    low, high = figure.interval
    assert 0.0 <= low <= truth.value <= high <= 100.0
    assert low < figure.value < high


@pytest.mark.parametrize("name", ATTACKS)
def test_a_long_attack_tells_how_far_it_is_and_can_be_stopped(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _small(monkeypatch)
    table, outcome = mixed(90)
    protected = make_measured_release(outcome, table)
    shares = list[float]()

    def stop() -> bool:
        return len(shares) > 1

    ctx = RunContext(lambda share, stage: shares.append(share), stop)
    with pytest.raises(Cancelled):
        measures.get(name)(replace(protected, ctx=ctx))
    assert shares[0] == 0.0
