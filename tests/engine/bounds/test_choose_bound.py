"""Every run carries the tightest bound that its size allows."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from engine.bounds import (
    choose_bound,
    nearest_bound,
    nearest_neighbour_bound,
    strongest_affordable_bound,
    sum_bounds_of_parts,
)
from engine.bounds.base import LowerBound
from engine.data.table import Table
from engine.files import read_table
from engine.methods.fixed_size.mdav import MDAV
from engine.pipeline.compare import PlanRunner, compare, grid
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


@pytest.fixture
def table() -> Table:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.lognormal(size=(90, 2)), columns=["a", "b"])
    frame["region"] = np.repeat(["north", "south"], 45)
    names = dict.fromkeys(["a", "b"], "quasi-identifier")
    return read_table(frame).assign(
        roles=names | {"region": "other"}, kinds=dict.fromkeys(names, "continuous")
    )


def test_the_edge_cover_for_any_number_of_records_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.random.default_rng(0).standard_normal((50, 2))
    usual = strongest_affordable_bound(X, 3)
    assert usual.kind == "edge-cover"
    monkeypatch.setattr(choose_bound, "MAX_LB2_RECORDS", 10)
    monkeypatch.setattr(choose_bound, "MAX_BLOCKWISE_RECORDS", 10)
    monkeypatch.setattr(choose_bound, "MAX_DEFAULT_LB1_RECORDS", 49)
    assert strongest_affordable_bound(X, 3).kind == "nearest"
    assert strongest_affordable_bound(X, 3).sse < usual.sse
    assert strongest_affordable_bound(X, 3, thorough=True) == usual


def test_a_thorough_bound_is_higher_and_still_safe(table: Table) -> None:
    usual = PlanRunner(table).run_plan(Plan(k=3))
    thorough = PlanRunner(table, thorough=True).run_plan(Plan(k=3))
    assert thorough.bound.kind == "column-generation"
    assert usual.bound.sse <= thorough.bound.sse
    assert thorough.bound.per_cent <= thorough.information_loss


def test_a_run_says_which_bound_it_carries(table: Table) -> None:
    summary = run(Plan(k=3), table).summary()
    assert summary["lower_bound_kind"] == "edge-cover"
    assert 0 < summary["lower_bound"] < summary["information_loss"]


def test_strata_kept_apart_have_the_sum_of_their_bounds(table: Table) -> None:
    outcome = run(Plan(k=3, strata="region"), table)
    whole = run(Plan(k=3), table)
    assert whole.bound.sse < outcome.bound.sse
    assert outcome.bound.per_cent < outcome.information_loss


def test_a_sum_is_called_by_its_weakest_part() -> None:
    X = np.arange(8.0)[:, None]
    parts = [LowerBound("edge-cover", 2.0, 9.0), LowerBound("nearest", 2.2, 9.0)]
    total = sum_bounds_of_parts(parts, X)
    assert total.kind == "nearest"
    assert total.sse == pytest.approx(4.2)
    assert total.per_cent == pytest.approx(10.0)  # SST is 42


def test_what_a_method_proves_itself_goes_to_the_outcome(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = run(Plan(k=3), table).information_loss
    proven = LowerBound("column-generation", 1e9, loss / 2)
    monkeypatch.setattr(MDAV, "bound_", proven)
    assert run(Plan(k=3), table).bound == proven
    results = compare(grid(Plan(), ["cbfs", "mdav", "mdav1"], [3]), table)
    kinds = [each.bound.kind for each in results if isinstance(each, Outcome)]
    assert kinds == ["edge-cover", "column-generation", "column-generation"]


def test_a_comparison_works_out_each_bound_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = PlanRunner(table)
    first = comparison.run_plan(Plan(k=3)).bound

    def again(*_: object) -> LowerBound:
        raise AssertionError("worked out twice")

    monkeypatch.setattr(
        "engine.pipeline.grouping.bound.strongest_affordable_bound", again
    )
    assert comparison.run_plan(Plan(method="cbfs", k=3)).bound == first


@pytest.mark.parametrize(
    ("n", "k"),
    [
        (300, 299),
        *(
            pytest.param(n, k, marks=pytest.mark.slow)
            for n, k in ((600, 250), (600, 599), (2000, 200))
        ),
    ],
)
def test_memory_stays_small_however_large_k_is(n: int, k: int) -> None:
    X = np.random.default_rng(0).standard_normal((n, 4))
    strongest_affordable_bound(X, k)  # kernels are compiled, or read
    tracemalloc.start()
    bound = strongest_affordable_bound(X, k)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6 + 20 * X.nbytes
    assert bound.sse > 0.0


def test_the_neighbours_beyond_those_looked_for_count_as_the_last_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.random.default_rng(1).standard_normal((40, 2))
    whole = nearest_bound(X, 20).sse
    monkeypatch.setattr(nearest_neighbour_bound, "_MOST", 0)
    monkeypatch.setattr(nearest_neighbour_bound, "_FEW", 5)
    part = nearest_bound(X, 20).sse
    squared = np.square(X[:, None] - X[None]).sum(axis=2)
    squared.sort(axis=1)
    by_hand = (squared[:, 1:6].sum() + 14 * squared[:, 5].sum()) / 40
    assert part == pytest.approx(by_hand)
    assert part < whole
