"""LB2 is what its formula says, and no partition loses less."""

import numpy as np
import pytest

from engine.bounds import edge_cover_bound
from engine.bounds.base import CentredRecords
from engine.bounds.linear_programme import column_generation
from engine.bounds.linear_programme.column_generation import column_generation_bound
from engine.bounds.linear_programme.column_search import (
    add_cut_rounds_without_proof,
    add_violated_cuts,
    generate_columns_in_place,
    start_column_generation,
)
from engine.bounds.linear_programme.master import MasterProblem
from engine.core.context import RunContext
from engine.core.errors import InfeasibleError
from tests.casc import zscored
from tests.engine.bounds.tables import small_tables
from tests.reference.brute_force import least_sse
from tests.reference.column_generation import (
    column_generation_bound as by_definition,
)
from tests.reference.subsets import least_sse_of_many


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_equals_the_linear_programme(k: int, seed: int) -> None:
    X = np.random.default_rng(seed).lognormal(size=(14 - k, 2))
    expected = by_definition(X, k)
    bound = column_generation_bound(X, k, use_cuts=False).sse
    assert bound <= expected
    assert bound == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_cuts_raise_it_and_never_above_the_optimum(k: int, seed: int) -> None:
    X = np.random.default_rng(seed).lognormal(size=(9, 2))
    plain = column_generation_bound(X, k, use_cuts=False).sse
    assert plain <= column_generation_bound(X, k).sse <= least_sse(X, k)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_one_group_is_the_only_choice(n: int) -> None:
    X = np.random.default_rng(n).standard_normal((n, 2)) + 7.0
    bound = column_generation_bound(X, 3)
    assert bound.sse <= least_sse(X, 3)
    assert bound.per_cent == pytest.approx(100.0, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "k", "expected"),
    [
        pytest.param("tarragona", 3, 14.458, marks=pytest.mark.slow),
        pytest.param("tarragona", 4, 17.069, marks=pytest.mark.slow),
        # Seconds more for the same promise about more records.
        pytest.param("census", 3, 4.664, marks=pytest.mark.slow),
        pytest.param("census", 4, 6.021, marks=pytest.mark.slow),
    ],
)
def test_figures_of_the_reference_tables(name: str, k: int, expected: float) -> None:
    bound = column_generation_bound(zscored(name), k)
    assert bound.per_cent >= expected
    assert bound.kind == "column-generation"


def test_a_time_budget_leaves_a_bound() -> None:
    X = np.random.default_rng(0).standard_normal((200, 4))
    short = column_generation_bound(X, 4, seconds=0.0)
    assert edge_cover_bound(X, 4).sse <= short.sse
    assert short.sse < column_generation_bound(X, 4).sse


def test_says_its_figure_as_it_rises_and_ends_when_told() -> None:
    X = np.random.default_rng(0).standard_normal((60, 4))
    reports: list[tuple[str, float]] = []
    ctx = RunContext(hear=lambda name, value: reports.append((name, value)))
    bound = column_generation_bound(X, 4, ctx)
    values = [value for name, value in reports if name == "bound"]
    assert values == sorted(values)
    assert values[-1] == bound.sse
    for rounds in range(1, 12, 3):
        reports.clear()
        early_bound = column_generation_bound(
            X, 4, RunContext(enough=lambda m=rounds: len(reports) >= m, hear=ctx.note)
        )
        assert len(reports) == rounds
        assert edge_cover_bound(X, 4).sse <= early_bound.sse <= bound.sse * (1 + 1e-12)


def test_too_many_records_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_generation, "MAX_LB2_RECORDS", 9)
    with pytest.raises(InfeasibleError, match="at most 9"):
        column_generation_bound(np.zeros((10, 1)), 3)


def test_what_is_proven_stays_proven_as_idle_cuts_go() -> None:
    X = np.random.default_rng(5).lognormal(size=(60, 3))
    records = CentredRecords.from_array(X)
    search = start_column_generation(records, 4)
    generate_columns_in_place(search)
    gone = 0
    for _ in range(12):
        before, earlier_cuts = search.bound, list(search.master.cuts)
        if not add_violated_cuts(search):
            break
        gone += len(set(earlier_cuts) - set(search.master.cuts))
        generate_columns_in_place(search)
        assert search.bound >= before
        assert len(search.cut_prices) == len(search.master.cuts)
        # The programme without the cuts that went is that of the groups and the others.
        fresh_master = MasterProblem(records.X, search.master.unit)
        for size in sorted({len(group) for group in search.master.groups}):
            fresh_master.add_groups(
                np.array([g for g in search.master.groups if len(g) == size])
            )
        fresh_master.add_cuts(search.master.cuts)
        far = np.full(records.n, 20.0 * float(np.abs(search.prices).max()))
        for master in (fresh_master, search.master):
            master.set_box(-far, far)
        fresh_solution, other = fresh_master.solve(), search.master.solve()
        assert fresh_solution is not None
        assert other is not None
        assert other.value == pytest.approx(fresh_solution.value, rel=1e-7)
    assert gone > 0


@pytest.mark.parametrize("most", [0, 1, 5])
def test_cuts_in_haste_prove_more_and_never_too_much(most: int) -> None:
    tables = small_tables(7, 16, 8)
    rises = 0
    for X, optimum in zip(tables, least_sse_of_many(tables, 3), strict=True):
        search = start_column_generation(CentredRecords.from_array(X), 3)
        generate_columns_in_place(search)
        before = search.bound
        added = add_cut_rounds_without_proof(search, optimum - before, max_rounds=most)
        assert search.bound == before  # nothing is proven yet
        assert added <= most
        assert added > 0 or not search.master.cuts
        generate_columns_in_place(search)
        assert before <= search.bound <= optimum * (1.0 + 1e-9)
        rises += search.bound > before + 1e-4 * optimum
    assert (rises > 0) == (most > 0)
