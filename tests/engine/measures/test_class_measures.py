"""NCP, discernibility and average class size: by hand and by plain counting."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.partition import Partition
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.measures import MeasuredRelease, Score, measures
from engine.methods.base import make_method
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.points.base import Points
from tests.engine.methods.mixed.tables import (
    Drawn,
    mixed_tables,
    prepared,
    random_table,
)
from tests.reference.brute_force import partitions

PLACES = Hierarchy(
    (
        ("4350", "435*", "*"),
        ("4351", "435*", "*"),
        ("4360", "436*", "*"),
        ("1000", "100*", "*"),
    )
)


def score(name: str, points: Points, labels: list[int], k: int = 2) -> Score:
    """Score groups; what the release puts in their place is no matter."""
    partition = Partition(np.array(labels), k, guarantees_k=False)
    nothing = np.full(points.X.shape, np.nan)
    return measures.get(name)(
        MeasuredRelease(points, nothing, partition, pd.DataFrame())
    )


def test_a_constant_column_costs_nothing() -> None:
    lone = Hierarchy((("only", "*"),))
    drawn = [
        Drawn(Kind.CONTINUOUS, (5.0, 5.0)),
        Drawn(Kind.NOMINAL, ("only", "only"), lone),
    ]
    assert score("ncp", prepared(drawn), [0, 0]).value == 0.0


def plain_penalty(column: Drawn, members: list[int]) -> float:
    member_values = [column.values[i] for i in members]
    if column.tree is None:
        numbers = [float(value) for value in column.values]
        width = max(map(float, member_values)) - min(map(float, member_values))
        return width / ((max(numbers) - min(numbers)) or 1.0)
    if len(set(member_values)) == 1:
        return 0.0
    rows = {row[0]: row for row in column.tree.rows}
    for level in range(1, column.tree.height + 1):
        top = {rows[str(leaf)][level:] for leaf in member_values}
        if len(top) == 1:
            below = [row for row in column.tree.rows if row[level:] in top]
            return len(below) / len(column.tree.rows)
    raise AssertionError("two roots")


@given(mixed_tables(), st.data())
def test_measures_equal_their_plain_definitions(
    table: tuple[int, list[Drawn]], data: st.DataObject
) -> None:
    k, drawn = table
    n = len(drawn[0].values)
    draw = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    labels = np.unique(draw, return_inverse=True)[1].tolist()
    groups = [[i for i in range(n) if labels[i] == g] for g in range(max(labels) + 1)]
    points = prepared(drawn)
    columns = {
        f"c{j}": 100
        * sum(len(group) * plain_penalty(column, group) for group in groups)
        / n
        for j, column in enumerate(drawn)
    }
    figure = score("certainty-penalty", points, labels, k)
    assert figure.per_column == pytest.approx(columns)
    assert figure.value == pytest.approx(sum(columns.values()) / len(columns))
    discernibility = sum(labels.count(label) for label in labels)
    assert score("discernibility", points, labels, k).value == discernibility
    mean = n / len(groups) / k
    assert score("c-avg", points, labels, k).value == pytest.approx(mean)


def test_the_penalty_is_that_of_each_attribute_s_own_groups() -> None:
    X = np.random.default_rng(0).lognormal(size=(60, 2))
    frame = pd.DataFrame(X, columns=["a", "b"])
    columns = tuple(Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in "ab")
    table = Table.from_frame(frame, Schema(columns))
    outcome = run(Plan(method="individual-ranking", k=4), table)
    method = make_method("individual-ranking", 4)
    groups = method.partition(Points.from_array(X)).attributes
    assert groups is not None
    for j, (name, labels) in enumerate(zip("ab", groups, strict=True)):
        width = [np.ptp(X[labels == g, j]) for g in labels]
        penalty = outcome.scores["certainty-penalty"].per_column[name]
        assert penalty == pytest.approx(100 * np.mean(width) / np.ptp(X[:, j]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 3])
def test_no_method_s_penalty_is_below_the_least_of_all_partitions(
    k: int, seed: int
) -> None:
    drawn, n = random_table(8, seed), 8
    least_penalty = min(
        sum(
            len(group) * plain_penalty(column, group)
            for column in drawn
            for group in groups
        )
        for groups in partitions(list(range(n)), k)
    )
    points = prepared(drawn)
    for method in ("caat", "kaca", "mdav-mixed"):
        labels = make_method(method, k, seed=seed).partition(points).labels
        penalty = score("ncp", points, labels.tolist(), k).value
        assert penalty >= 100 * least_penalty / (n * len(drawn)) * (1 - 1e-12)
