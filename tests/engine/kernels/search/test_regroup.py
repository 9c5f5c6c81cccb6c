from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.records.coded_records import CodedRecords
from engine.kernels.search.deal import regroup_neighbouring_groups
from engine.kernels.search.dissolve import dissolve_by_chains
from engine.kernels.search.exchange import exchange_within_queued_groups
from engine.kernels.search.iterated import ruin_and_rebuild_groups
from engine.kernels.search.refine import WAITING, SearchState, make_search_state
from engine.kernels.search.regions import sum_group_sse
from engine.kernels.search.regroup import (
    GroupState,
    gather_union,
    make_group_state,
    make_union_scratch,
    replace_groups_by_parts,
)
from engine.neighbours.neighbour_lists import nearest_neighbours

NOISE = 1e-9

LEVELS = ((0, 3), (3, 5), (5, 10))
"""First and last direction of each level; the last of all stands for none."""


def random_groups(seed: int, n: int, k: int, p: int = 2, near: int = 6) -> GroupState:
    """Groups of k to 2k - 1 records that have nothing to do with the values."""
    rng = np.random.default_rng(seed)
    X = np.ascontiguousarray(rng.normal(size=(n, p)))
    records = CodedRecords.from_numbers(X)
    if seed % 2:  # a column of three categories, and two levels of another
        codes = np.column_stack([rng.integers(a, b, n) for a, b in LEVELS])
        records = CodedRecords(
            X, codes, np.array([1.0] * 3 + [0.5, 2.0] + [0.25] * 4 + [0.0])
        )
    n_groups = int(rng.integers(-(-n // (2 * k - 1)), n // k + 1))
    sizes = np.full(n_groups, k)
    while sizes.sum() < n:
        sizes[rng.choice(np.flatnonzero(sizes < 2 * k - 1))] += 1
    labels = rng.permutation(np.repeat(np.arange(n_groups), sizes))
    return make_group_state(
        records, nearest_neighbours(X, near, coded_records=records), labels, k
    )


def assert_whole(groups: GroupState, k: int) -> float:
    """Every array says the same as the labels; returns SSE."""
    capacity = groups.size.size
    X = CodedRecords(groups.X, groups.codes, groups.sq_len).to_coordinates()
    size = np.bincount(groups.labels, minlength=capacity)
    assert groups.size.tolist() == size.tolist()
    assert all(n == 0 or k <= n <= 2 * k - 1 for n in size.tolist())
    member_mask = np.arange(groups.members.shape[1]) < size[:, np.newaxis]
    by_group = np.argsort(groups.labels, kind="stable")  # and ascending in each
    assert groups.members[member_mask].tolist() == by_group.tolist()
    sums = np.zeros((capacity, X.shape[1]))
    np.add.at(sums, groups.labels, X)
    deviations = X - (sums / np.maximum(size, 1)[:, np.newaxis])[groups.labels]
    sse = np.bincount(groups.labels, (deviations**2).sum(axis=1), capacity)
    np.testing.assert_allclose(groups.sse, sse, rtol=1e-6, atol=1e-9)
    unused = groups.unused[: groups.unused[capacity]].tolist()
    assert sorted(unused) == np.flatnonzero(size == 0).tolist()
    return float(sse.sum())


cases = given(seed=st.integers(0, 2**32), k=st.integers(2, 4), n=st.integers(8, 60))


@cases
def test_groups_enter_as_they_are(seed: int, k: int, n: int) -> None:
    groups = random_groups(seed, n, k)
    assert assert_whole(groups, k) == pytest.approx(float(groups.sse.sum()))


def exchange(groups: GroupState, search: SearchState, k: int) -> None:
    while search.counts[WAITING]:
        exchange_within_queued_groups(groups, search, k, NOISE, 1)


@cases
def test_each_step_of_the_local_search_lowers_sse(seed: int, k: int, n: int) -> None:
    groups = random_groups(seed, n, k)
    search, union = make_search_state(groups, k), make_union_scratch(groups, k, 4)
    before = assert_whole(groups, k)
    for _ in range(3):
        for g in range(groups.size.size):
            if dissolve_by_chains(groups, search, k, NOISE, g, g + 1):
                after = assert_whole(groups, k)
                assert after < before - NOISE
                assert groups.size[g] == 0
                before = after
            assert assert_whole(groups, k) == pytest.approx(before)
        while search.counts[WAITING]:
            clock = int(search.counts[1])
            exchange_within_queued_groups(groups, search, k, NOISE, 1)
            after = assert_whole(groups, k)
            changed = int(search.counts[1]) > clock
            assert after < before - NOISE if changed else after == before
            before = after
        for i in range(n):
            better = regroup_neighbouring_groups(
                groups, search, union, k, 4, NOISE, i, i + 1
            )
            after = assert_whole(groups, k)
            assert after < before - NOISE / 2 if better else after == before
            before = after


@cases
def test_dealing_passes_over_what_has_not_changed(seed: int, k: int, n: int) -> None:
    groups = random_groups(seed, n, k)
    search, union = make_search_state(groups, k), make_union_scratch(groups, k, 4)
    while regroup_neighbouring_groups(groups, search, union, k, 4, NOISE, 0, n):
        pass
    seen_marks = search.seen.copy()
    assert regroup_neighbouring_groups(groups, search, union, k, 4, NOISE, 0, n) == 0
    np.testing.assert_array_equal(search.seen, seen_marks)


@cases
def test_the_work_may_be_done_in_any_portions(seed: int, k: int, n: int) -> None:
    ends = []
    for portion in (1, 7, 10**6):
        groups = random_groups(seed, n, k)
        search = make_search_state(groups, k)
        capacity = groups.size.size
        for first in range(0, capacity, portion):
            last = min(first + portion, capacity)
            dissolve_by_chains(groups, search, k, NOISE, first, last)
        while search.counts[WAITING]:
            exchange_within_queued_groups(groups, search, k, NOISE, portion)
        ends.append(groups.labels.tolist())
    assert ends[0] == ends[1] == ends[2]


@cases
def test_a_step_of_ruin_at_no_temperature_never_raises_sse(
    seed: int, k: int, n: int
) -> None:
    groups = random_groups(seed, n, k)
    union, state = make_union_scratch(groups, k, 4), np.array([seed], dtype=np.uint64)
    before = assert_whole(groups, k)
    of, record_numbers = np.zeros(n, dtype=np.int64), np.arange(n)
    for _ in range(30):
        ruin_and_rebuild_groups(
            groups, union, of, record_numbers, k, 4, 0.0, 1.0, NOISE, state, 1
        )
        after = assert_whole(groups, k)
        assert sum_group_sse(groups) == pytest.approx(after)
        assert after <= before + 1e-9
        before = after


@cases
def test_a_step_of_ruin_while_hot_keeps_sizes(seed: int, k: int, n: int) -> None:
    groups = random_groups(seed, n, k)
    union, state = make_union_scratch(groups, k, 4), np.array([seed], dtype=np.uint64)
    first = assert_whole(groups, k)
    of, record_numbers = np.zeros(n, dtype=np.int64), np.arange(n)
    for _ in range(20):
        ruin_and_rebuild_groups(
            groups, union, of, record_numbers, k, 4, first, 1.0, NOISE, state, 5
        )
        assert_whole(groups, k)


def test_parts_that_become_more_or_fewer_take_and_leave_numbers() -> None:
    X = np.arange(12.0)[:, np.newaxis]
    labels = np.arange(12) // 3
    groups = make_group_state(
        CodedRecords.from_numbers(X), nearest_neighbours(X, 3), labels, 2
    )
    union = make_union_scratch(groups, 2, 4)
    scratch = (union.records, union.values, union.row_codes, union.dists)

    def take(*taken: int) -> int:
        union.taken[: len(taken)] = taken
        values = (groups.X, groups.codes, groups.sq_len)
        group_arrays = (groups.members, groups.size, union.taken, len(taken))
        return int(gather_union(*values, *group_arrays, *scratch))

    assert take(3, 1) == 6
    assert union.records[:6].tolist() == [9, 10, 11, 3, 4, 5]
    assert union.dists[0, 5] == 16.0
    union.best[:6] = [0, 0, 2, 1, 1, 2]
    union.best_sse[:3] = 0.5, 0.5, 18.0
    replace_groups_by_parts(groups, union, 6, 2, 3)
    expected = [0, 0, 0, 1, 1, 4, 2, 2, 2, 3, 3, 4]  # 4 is the next unused number
    assert groups.labels.tolist() == expected
    assert_whole(groups, 2)

    assert take(4, 3, 1) == 6
    assert union.records[:6].tolist() == [5, 11, 9, 10, 3, 4]
    union.best[:6] = [0, 1, 1, 1, 0, 0]
    union.best_sse[:2] = 2.0
    replace_groups_by_parts(groups, union, 6, 3, 2)
    assert groups.labels.tolist() == [0, 0, 0, 4, 4, 4, 2, 2, 2, 3, 3, 3]
    assert_whole(groups, 2)
    assert groups.unused[: groups.unused[-1]].tolist() == [5, 1]
