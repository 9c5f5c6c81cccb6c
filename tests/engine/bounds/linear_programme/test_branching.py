"""The tree comes to the least SSE there is, and never proves more than is true."""

from itertools import combinations

import numpy as np
import pytest

from engine.bounds.base import CentredRecords, DualPrices
from engine.bounds.linear_programme import branching
from engine.bounds.linear_programme.branching import BranchAndBound
from engine.bounds.linear_programme.explicit_groups import GroupList
from engine.bounds.linear_programme.master import sse_per_group
from engine.core.context import SILENT, RunContext
from engine.core.typing import Values
from tests.engine.bounds.tables import small_tables
from tests.reference.subsets import least_sse_of_many


def listed_of(X: Values, k: int) -> GroupList:
    """Return all groups of k to 2k - 1 records."""
    records = CentredRecords.from_array(X)
    sizes = range(k, min(2 * k, records.n + 1))
    some = [np.array([*combinations(range(records.n), s)]) for s in sizes]
    costs = np.concatenate([sse_per_group(records.X, groups) for groups in some])
    groups = [tuple(group) for groups in some for group in groups.tolist()]
    unit = (records.sst or 1.0) / records.n
    return GroupList(groups, costs / unit, records.n, k, unit)


def tree_of(listed: GroupList, dives: bool = True) -> BranchAndBound:
    """Return a tree that begins with nothing proven, and all to gain."""
    nothing = DualPrices(np.zeros(listed.n))
    return BranchAndBound(listed, [], nothing, 1.001 * listed.n, dives)


@pytest.mark.parametrize("cuts", [True, False])
@pytest.mark.parametrize(("n", "k"), [(7, 2), (9, 2), (9, 3), (10, 3)])
def test_comes_to_the_optimum_and_is_never_above_it_on_the_way(
    n: int, k: int, cuts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(branching, "PARALLEL_BRANCHES", 2)
    if not cuts:
        monkeypatch.setattr(branching, "separate_cuts", lambda *_: [])
    tables = small_tables(n * k, 4, n)
    for X, optimum in zip(tables, least_sse_of_many(tables, k), strict=True):
        for dives in (True, False):
            tree = tree_of(listed := listed_of(X, k), dives)
            scaled_optimum = optimum / listed.unit
            while tree.n_open:
                assert tree.lower_bound <= scaled_optimum * (1.0 + 1e-12) + 1e-12
                assert tree.expand(SILENT)
            # The last programme's groups are whole: they are the partition.
            assert tree.lower_bound == pytest.approx(scaled_optimum, rel=1e-9, abs=1e-9)
            assert tree.lower_bound <= scaled_optimum * (1.0 + 1e-12) + 1e-12
            if not dives and tree.best is None:
                continue
            assert tree.target == pytest.approx(scaled_optimum, rel=1e-9, abs=1e-12)
            assert tree.best is not None
            group_records = np.concatenate(
                [listed.groups[g] for g in tree.best.tolist()]
            )
            assert sorted(group_records.tolist()) == list(range(n))


def test_is_the_same_on_any_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branching, "separate_cuts", lambda *_: [])
    monkeypatch.setattr(branching, "PARALLEL_BRANCHES", 2)
    X = np.random.default_rng(0).lognormal(size=(14, 3))
    bound_lists = []
    for threads in ("1", "3"):
        monkeypatch.setenv("COTERIE_THREADS", threads)
        tree, bounds = tree_of(listed_of(X, 3), dives=False), []
        while tree.n_open:
            assert tree.expand(SILENT)
            bounds.append((tree.lower_bound, tree.nodes, tree.n_open))
        bound_lists.append(bounds)
    assert len(bound_lists[0]) > 2
    assert bound_lists[0] == bound_lists[1]


def test_what_has_no_time_changes_nothing() -> None:
    listed = listed_of(np.random.default_rng(1).lognormal(size=(9, 2)), 2)
    tree, over = tree_of(listed), RunContext(enough=lambda: True)
    assert not tree.expand(over)
    assert (tree.lower_bound, tree.nodes, tree.n_open) == (0.0, 1, 1)
    assert tree.root.below is None
    assert tree.expand(SILENT)
    assert tree.lower_bound > 0.0
