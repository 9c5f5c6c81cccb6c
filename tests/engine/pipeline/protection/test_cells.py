"""Cells of categories left out in place of records: k, budget, price and bound."""

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table, run
from engine.core.errors import InfeasibleError
from engine.core.numerics.statistics import within_group_sse
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan as AnyPlan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.protection.cells import suppress_costliest_records_and_cells
from tests.reference.brute_force import labellings

NAMES = ("age", "income", "region")
KINDS = {"age": Kind.CONTINUOUS, "income": Kind.CONTINUOUS, "region": Kind.NOMINAL}


def table(n: int = 120, numbers: bool = False) -> Table:
    rng = np.random.default_rng(3)
    regions = rng.choice(["north", "south", "west"], n).astype(object)
    regions[rng.choice(n, n // 10, replace=False)] = [f"r{i}" for i in range(n // 10)]
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=n).round(3),
            "income": rng.normal(size=n).round(3),
            "region": regions,
            "part": np.where(np.arange(n) % 2, "a", "b"),
            "weight": rng.uniform(1, 5, n).round(1),
        }
    )
    if numbers:
        frame["region"] = pd.factorize(frame["region"])[0] + 100
    return read_table(frame)


def plan(**choices: object) -> Plan:
    defaults = {"k": 3, "quasi_identifiers": NAMES, "kinds": KINDS, "suppress": 0.05}
    return Plan(**{**defaults, "suppress_cells": True, **choices})


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"strata": "part"},
        {"weights": "weight"},
        {"strata": "part", "weights": "weight", "method": "vmdav"},
        {"method": "kaca"},
        {"aggregations": {"region": "mode"}},
    ],
)
def test_k_and_the_budget_hold_and_less_is_lost(choices: dict[str, object]) -> None:
    original = table()
    outcome = run(plan(**choices), original)
    frame = outcome.release.frame
    cells = int(frame["region"].isna().sum())
    assert cells == outcome.suppressed_cells["region"] > 0
    assert not frame[["age", "income"]].isna().any().any()
    assert outcome.suppressed == 120 - len(frame)
    assert outcome.suppressed + cells / 3 <= 6
    sizes = frame.groupby(list(NAMES), dropna=False).size()
    assert sizes.min() >= 3
    assert outcome.k_verified
    if "strata" in choices:
        part = original.frame["part"].iloc[outcome.release.rows].to_numpy()
        assert (pd.Series(part).groupby(outcome.partition.labels).nunique() == 1).all()
    assert outcome.bound.per_cent <= outcome.information_loss + 1e-9
    if not choices:
        records = run(plan(suppress_cells=False), original)
        assert outcome.information_loss < records.information_loss
    messages = [
        warning for warning in outcome.warnings if warning.topic == "suppressed"
    ]
    assert any(f"{cells} cells of 'region'" in warning for warning in messages)


def test_codes_stay_whole_numbers_beside_gaps() -> None:
    outcome = run(plan(), table(numbers=True))
    column = outcome.release.frame["region"]
    assert column.isna().any()
    assert str(column.dtype) == "Int64"


def test_columns_grouped_apart_lack_their_own_cells() -> None:
    outcome = run(plan(blocks=(("age", "region"), ("income",))), table())
    frame = outcome.release.frame
    assert frame["region"].isna().any()
    sizes = frame.groupby(["age", "region"], dropna=False).size()
    assert sizes.min() >= 3


def test_gaps_that_are_there_already_are_kept_apart() -> None:
    original = table()
    frame = original.frame.copy()
    frame.loc[:7, "income"] = np.nan
    outcome = run(plan(missing="keep"), read_table(frame))
    released = outcome.release.frame
    assert released["region"].isna().any()
    assert released.groupby(list(NAMES), dropna=False).size().min() >= 3


def test_without_a_budget_or_categories_nothing_is_left_out_and_it_is_said() -> None:
    for choices in ({"suppress": 0.0}, {"quasi_identifiers": NAMES[:2], "kinds": {}}):
        outcome = run(plan(**choices), table())
        assert not outcome.suppressed_cells
        assert any("No cell is left out" in warning for warning in outcome.warnings)


def test_too_many_records_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.pipeline.protection.cells.MAX_SWAP_SEARCH_RECORDS", 100)
    with pytest.raises(InfeasibleError, match="leave out records alone"):
        run(plan(), table())


def choices_of_cells(n: int, most: int) -> Iterator[frozenset[int]]:
    for size in range(most + 1):
        yield from map(frozenset, itertools.combinations(range(n), size))


@pytest.mark.parametrize("seed", range(3))
def test_no_choice_of_records_cells_and_groups_stays_below_the_bound(seed: int) -> None:
    """All of seven records in pairs or more: one record, or two cells, left out."""
    rng = np.random.default_rng(seed)
    n, k = 7, 2
    frame = pd.DataFrame({"x": rng.normal(size=n), "c": list("aabbbcd")})
    pair_plan = AnyPlan(
        k=k, quasi_identifiers=("x", "c"), kinds={"c": Kind.NOMINAL, "x": "continuous"}
    )
    original = read_table(frame)
    points = PreparationCache(original).get(resolve_plan(pair_plan, original)).points
    parts = [((0, 1), [np.arange(n, dtype=np.int64)])]
    suppression = suppress_costliest_records_and_cells(points, parts, k, 1)[2]
    best = np.inf
    labels = [labelling for size in range(n + 1) for labelling in labellings(size, k)]
    first = points.space.coordinates_of([0])
    for gone in [(), *((i,) for i in range(n))]:
        kept_rows = [i for i in range(n) if i not in gone]
        for cells in choices_of_cells(n, 0 if gone else 2):
            for labelling in labels:
                if labelling.size != len(kept_rows):
                    continue
                loss = 0.0
                for group in np.unique(labelling):
                    members = [kept_rows[i] for i in np.flatnonzero(labelling == group)]
                    lack = {i in cells for i in members}
                    if len(lack) > 1:
                        break
                    X = points.X[members]
                    X = X[:, first] if lack == {True} else X
                    loss += within_group_sse(X, np.zeros(len(members), dtype=np.int64))
                else:
                    best = min(best, loss)
    assert 0.0 <= suppression.sse <= best + 1e-9
