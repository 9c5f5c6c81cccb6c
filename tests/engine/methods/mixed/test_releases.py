"""What caat, kaca and mdav-mixed release is true of every member of its group."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from engine.measures import Protected, measures
from engine.outcome import Outcome
from engine.partition import Partition
from engine.pipeline import run
from engine.plan import Plan
from engine.table import Column, Kind, Role, Schema, Table
from tests.engine.methods.mixed.tables import (
    Drawn,
    mixed_tables,
    prepared,
    random_table,
)

GENERALISED = ("caat", "kaca")
MIXED = (*GENERALISED, "mdav-mixed")


def protect(drawn: list[Drawn], method: str, k: int) -> Outcome:
    frame = pd.DataFrame({f"c{j}": column.values for j, column in enumerate(drawn)})
    columns = [
        Column(f"c{j}", column.kind, Role.QUASI_IDENTIFIER, hierarchy=column.tree)
        for j, column in enumerate(drawn)
    ]
    table = Table.from_frame(frame, Schema(tuple(columns)))
    return run(Plan(method=method, k=k, rounding="none"), table)


def interval(cell: object) -> tuple[float, float]:
    """Read ``[45, 52]`` or 45."""
    ends = [float(end) for end in str(cell).strip("[]").split(",")]
    return ends[0], ends[-1]


@pytest.mark.parametrize("method", GENERALISED)
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(table=mixed_tables())
def test_classes_are_released_as_their_intervals_and_ancestors(
    method: str, table: tuple[int, list[Drawn]]
) -> None:
    k, drawn = table
    outcome = protect(drawn, method, k)
    for g in range(outcome.partition.n_groups):
        members = outcome.partition.members(g)
        for j, column in enumerate(drawn):
            cells = set(outcome.release.frame[f"c{j}"].iloc[members])
            assert len(cells) == 1
            (cell,) = cells
            own = [column.values[i] for i in members]
            if column.tree is None:
                assert interval(cell) == (min(own), max(own))
            else:
                leaves = [column.tree.leaves.index(str(leaf)) for leaf in own]
                top = column.tree.common_ancestor(leaves)
                assert cell == column.tree.nodes[top]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(table=mixed_tables())
def test_mixed_mdav_releases_mean_median_and_mode(
    table: tuple[int, list[Drawn]],
) -> None:
    k, drawn = table
    outcome = protect(drawn, "mdav-mixed", k)
    for g in range(outcome.partition.n_groups):
        members = outcome.partition.members(g)
        for j, column in enumerate(drawn):
            cell = outcome.release.frame[f"c{j}"].iloc[members].unique().tolist()
            own = [column.values[i] for i in members]
            if column.kind is Kind.CONTINUOUS:
                assert cell == [pytest.approx(np.mean([float(x) for x in own]))]
            elif column.kind is Kind.ORDINAL:
                assert cell == [np.median([float(x) for x in own])]
            else:
                assert own.count(cell[0]) == max(map(own.count, own))


@pytest.mark.parametrize("method", MIXED)
@pytest.mark.parametrize("k", [2, 5])
def test_the_release_keeps_k_and_its_figures_are_those_of_json(
    method: str, k: int
) -> None:
    outcome = protect(random_table(120, k), method, k)
    assert outcome.k_verified
    figures = json.loads(json.dumps(outcome.summary()))
    scores = outcome.scores
    assert figures["certainty_penalty"] == scores["certainty-penalty"].value
    assert list(figures["certainty_penalty_per_column"]) == ["c0", "c1", "c2", "c3"]
    assert figures["discernibility"] == scores["discernibility"].value
    assert figures["average_class_size"] == scores["average-class-size"].value


def test_the_penalty_is_far_below_that_of_groups_by_chance() -> None:
    drawn = random_table(300, 0)
    encoded, by_chance = prepared(drawn), Partition(np.arange(300) // 5, 5)
    nothing = np.full(encoded.X.shape, np.nan)
    protected = Protected(encoded, nothing, by_chance, pd.DataFrame())
    chance = measures.get("certainty-penalty")(protected).value
    for method in MIXED:
        outcome = protect(drawn, method, 5)
        assert outcome.scores["certainty-penalty"].value < 0.5 * chance
