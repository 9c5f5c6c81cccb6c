"""What caat, kaca and mdav-mixed release is true of every member of its group."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from engine.core.errors import ParameterError
from engine.core.partition import Partition
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import flat_hierarchy, from_dates, from_intervals
from engine.measures import MeasuredRelease, measures
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
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
@settings(suppress_health_check=[HealthCheck.too_slow])
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
            member_values = [column.values[i] for i in members]
            if column.tree is None:
                assert interval(cell) == (min(member_values), max(member_values))
            else:
                leaves = [column.tree.leaves.index(str(leaf)) for leaf in member_values]
                top = column.tree.common_ancestor(leaves)
                assert cell == column.tree.nodes[top]


@settings(suppress_health_check=[HealthCheck.too_slow])
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
            member_values = [column.values[i] for i in members]
            if column.kind is Kind.CONTINUOUS:
                assert cell == [
                    pytest.approx(np.mean([float(x) for x in member_values]))
                ]
            elif column.kind is Kind.ORDINAL:
                assert cell == [np.median([float(x) for x in member_values])]
            else:
                assert member_values.count(cell[0]) == max(
                    map(member_values.count, member_values)
                )


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
    points, by_chance = prepared(drawn), Partition(np.arange(300) // 5, 5)
    nothing = np.full(points.X.shape, np.nan)
    protected = MeasuredRelease(points, nothing, by_chance, pd.DataFrame())
    chance = measures.get("certainty-penalty")(protected).value
    for method in MIXED:
        outcome = protect(drawn, method, 5)
        assert outcome.scores["certainty-penalty"].value < 0.5 * chance


def ages_and_days(n: int = 40) -> Table:
    """A table of ages, a few of them missing, and days, both with hierarchies."""
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    frame = pd.DataFrame({"age": rng.integers(18, 90, n), "day": days, "sex": "f"})
    frame["age"] = frame["age"].astype("Int64").mask(frame.index < 4)
    trees = {
        "age": from_intervals(frame["age"], widths=[10, 20]),
        "day": from_dates(frame["day"], ["month", "year"]),
    }
    kinds = {"age": Kind.CONTINUOUS, "day": Kind.ORDINAL, "sex": Kind.NOMINAL}
    columns = [
        Column(name, kind, Role.QUASI_IDENTIFIER, hierarchy=trees.get(name))
        for name, kind in kinds.items()
    ]
    return Table.from_frame(frame, Schema(tuple(columns)))


@pytest.mark.parametrize("method", ["caat", "mdav-mixed"])
def test_numbers_and_dates_are_generalised_by_their_hierarchy(method: str) -> None:
    table = ages_and_days()
    plan = Plan(method=method, k=3, aggregation="generalise", missing="keep")
    outcome = run(plan, table)
    assert set(outcome.plan.aggregations.values()) == {"generalise"}
    for g in range(outcome.partition.n_groups):
        members = outcome.partition.members(g)
        for name in ("age", "day"):
            tree = table.schema[name].hierarchy
            assert tree is not None
            member_values = table.frame[name].iloc[members]
            released = outcome.release.frame[name].iloc[members]
            if member_values.isna().any():
                assert released.isna().all()
            else:
                top = tree.common_ancestor(tree.codes(member_values, name).tolist())
                assert set(released) == {tree.nodes[top]}
    assert 0.0 < outcome.information_loss < 100.0


def test_numbers_whose_groups_stay_leaves_keep_their_type() -> None:
    table = ages_and_days()
    frame = table.frame.assign(age=np.repeat([20, 30, 40, 50], 10)).astype(
        {"age": "int64"}
    )
    columns = [
        replace(table.schema["age"], hierarchy=flat_hierarchy(frame["age"])),
        table.schema["sex"],
    ]
    table = Table.from_frame(frame[["age", "sex"]], Schema(tuple(columns)))
    outcome = run(Plan(method="kaca", k=10, aggregation="generalise"), table)
    pd.testing.assert_series_equal(outcome.release.frame["age"], frame["age"])


def test_a_column_without_a_hierarchy_is_released_as_an_interval_instead() -> None:
    frame = pd.DataFrame({"age": range(20), "sex": ["f", "m"] * 10})
    kinds = {"age": Kind.CONTINUOUS, "sex": Kind.NOMINAL}
    columns = [Column(n, kinds[n], Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(columns)))
    plan = resolve_plan(Plan(method="mdav-mixed", k=3, aggregation="generalise"), table)
    assert plan.aggregations == {"age": "interval", "sex": "generalise"}
    with pytest.raises(ParameterError, match="'age' has no hierarchy"):
        resolve_plan(
            Plan(method="caat", k=3, aggregations={"age": "generalise"}), table
        )
