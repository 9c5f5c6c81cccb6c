"""Groups that are listed to choose from, beside all that there are."""

from itertools import combinations

import numpy as np
import pytest

from engine.bounds.base import CentredRecords
from engine.bounds.linear_programme.column_search import (
    ColumnGeneration,
    add_violated_cuts,
    generate_columns_in_place,
    start_column_generation,
)
from engine.bounds.linear_programme.cuts import Group
from engine.core.context import RunContext
from engine.methods.search.integer_programmes.columns import (
    all_relevant_columns,
    cheapest_columns,
    reduced_gains,
)
from engine.methods.search.integer_programmes.groups import group_costs

GAP = 3.0


@pytest.fixture(params=range(3))
def search(request: pytest.FixtureRequest) -> ColumnGeneration:
    X = np.random.default_rng(request.param).lognormal(size=(14, 2))
    search = start_column_generation(CentredRecords.from_array(X), 3)
    generate_columns_in_place(search)
    add_violated_cuts(search)
    generate_columns_in_place(search)
    return search


def every(search: ColumnGeneration) -> list[tuple[float, Group]]:
    """Return all groups that cost no more than the gap above their prices."""
    sizes = range(search.k, 2 * search.k)
    groups = [g for s in sizes for g in combinations(range(search.records.n), s)]
    gains = reduced_gains(
        search.proof, groups, group_costs(search.records.X, groups)
    ).tolist()
    return [pair for pair in zip(gains, groups, strict=True) if pair[0] > -GAP]


def test_all_are_all(search: ColumnGeneration) -> None:
    columns = all_relevant_columns(search, GAP, 10**5, 10**6, RunContext())
    assert columns is not None
    assert {group for _, group in every(search)} <= set(columns.groups)
    assert (
        all_relevant_columns(search, GAP, len(columns.groups) - 1, 10**6, RunContext())
        is None
    )
    assert all_relevant_columns(search, GAP, 10**5, 1, RunContext()) is None


def test_each_anchor_has_its_best(search: ColumnGeneration) -> None:
    n, each = search.records.n, 4
    columns = cheapest_columns(search, GAP, each * n + 1, 10**6, RunContext())
    gains = reduced_gains(search.proof, columns.groups, columns.costs)
    first = np.argsort(np.lexsort((np.arange(n), -search.prices)))
    for anchor in range(n):
        best = sorted(
            (gain for gain, group in every(search) if _anchor(group, first) == anchor),
            reverse=True,
        )
        anchor_mask = [_anchor(group, first) == anchor for group in columns.groups]
        np.testing.assert_allclose(
            np.sort(gains[anchor_mask])[::-1], best[:each], atol=1e-9
        )


def _anchor(group: Group, first: np.ndarray) -> int:
    return min(group, key=lambda i: int(first[i]))
