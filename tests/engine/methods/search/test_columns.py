"""Groups that are listed to choose from, beside all that there are."""

from itertools import combinations

import numpy as np
import pytest

from engine.bounds.base import Records
from engine.bounds.column_search import Search, generate, start, tighten
from engine.bounds.cuts import Group
from engine.core.context import RunContext
from engine.methods.search.columns import all_columns, gains_of, likely_columns
from engine.methods.search.groups import costs_of

GAP = 3.0


@pytest.fixture(params=range(3))
def search(request: pytest.FixtureRequest) -> Search:
    X = np.random.default_rng(request.param).lognormal(size=(14, 2))
    search = start(Records.of(X), 3)
    generate(search)
    tighten(search)
    generate(search)
    return search


def every(search: Search) -> list[tuple[float, Group]]:
    """Return all groups that cost no more than the gap above their prices."""
    sizes = range(search.k, 2 * search.k)
    groups = [g for s in sizes for g in combinations(range(search.records.n), s)]
    gains = gains_of(search.proof, groups, costs_of(search.records.X, groups)).tolist()
    return [one for one in zip(gains, groups, strict=True) if one[0] > -GAP]


def test_all_are_all(search: Search) -> None:
    found = all_columns(search, GAP, 10**5, 10**6, RunContext())
    assert found is not None
    assert {group for _, group in every(search)} <= set(found.groups)
    assert all_columns(search, GAP, len(found.groups) - 1, 10**6, RunContext()) is None
    assert all_columns(search, GAP, 10**5, 1, RunContext()) is None


def test_each_anchor_has_its_best(search: Search) -> None:
    n, each = search.records.n, 4
    found = likely_columns(search, GAP, each * n + 1, 10**6, RunContext())
    gains = gains_of(search.proof, found.groups, found.costs)
    first = np.argsort(np.lexsort((np.arange(n), -search.prices)))
    for anchor in range(n):
        best = sorted(
            (gain for gain, group in every(search) if _anchor(group, first) == anchor),
            reverse=True,
        )
        own = [_anchor(group, first) == anchor for group in found.groups]
        np.testing.assert_allclose(np.sort(gains[own])[::-1], best[:each], atol=1e-9)


def _anchor(group: Group, first: np.ndarray) -> int:
    return min(group, key=lambda i: int(first[i]))
