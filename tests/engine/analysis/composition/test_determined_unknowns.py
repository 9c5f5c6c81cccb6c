"""Unknowns that sums determine: the field's tables, linear algebra, and all tables."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import partition
from engine.analysis.composition.determined_unknowns import (
    determined_record_mask,
    differencing_disclosure_mask,
)
from engine.core.typing import Booleans, Integers
from tests import casc


def by_rank(labels: Integers) -> Booleans:
    """The definition: a unit vector that is a combination of the sums."""
    rows = [row == g for row in labels for g in range(row.max() + 1)]
    A = np.array(rows, dtype=np.float64).reshape(-1, labels.shape[1])
    rank = np.linalg.matrix_rank(A) if A.size else 0
    units = np.eye(labels.shape[1])
    return np.array([np.linalg.matrix_rank(np.vstack([A, e])) == rank for e in units])


@st.composite
def releases(draw: st.DrawFn) -> Integers:
    n, count = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    label = st.integers(-1, max(0, n // 2))
    row = st.lists(label, min_size=n, max_size=n)
    return np.array([draw(row) for _ in range(count)], dtype=np.int64)


@given(releases())
def test_what_follows_is_what_the_rank_says(labels: Integers) -> None:
    assert determined_record_mask(labels).tolist() == by_rank(labels).tolist()


def by_rank_of_persons(labels: Integers, persons: Integers) -> Booleans:
    """The definition: a sum of records that only one person can be meant by."""
    rows = [row == g for row in labels for g in range(row.max() + 1)]
    A = np.array(rows, dtype=np.float64).reshape(-1, labels.shape[1])
    rank = np.linalg.matrix_rank(A) if A.size else 0
    columns = list(map(tuple, labels.T.tolist()))
    whose = np.where(persons < 0, persons.size + np.arange(persons.size), persons)
    determined_mask = np.zeros(persons.size, dtype=np.bool_)
    for person in set(whose.tolist()):
        cells = {
            cell
            for cell in columns
            if {w for w, column in zip(whose, columns, strict=True) if column == cell}
            == {person}
        }
        person_mask = np.array(
            [column in cells and max(column) >= 0 for column in columns]
        )
        sums = [person_mask & [column == cell for column in columns] for cell in cells]
        sums += [
            person_mask & (row == g) for row in labels for g in range(row.max() + 1)
        ]
        for some in [person_mask, *sums]:
            if some.any():
                is_determined = np.linalg.matrix_rank(np.vstack([A, some])) == rank
                determined_mask |= some & is_determined
    return determined_mask


@given(releases(), st.data())
def test_what_follows_of_persons_is_what_the_rank_says(
    labels: Integers, data: st.DataObject
) -> None:
    n = labels.shape[1]
    drawn = st.lists(st.integers(-1, max(1, n // 3)), min_size=n, max_size=n)
    persons = np.array(data.draw(drawn), dtype=np.int64)
    determined_mask = determined_record_mask(labels, persons=persons)
    assert determined_mask.tolist() == by_rank_of_persons(labels, persons).tolist()
    separate_mask = determined_record_mask(labels, persons=np.arange(n))
    assert separate_mask.tolist() == determined_record_mask(labels).tolist()


def test_what_follows_is_the_same_in_all_tables_with_the_same_sums() -> None:
    rng = np.random.default_rng(1)
    for _ in range(12):
        labels = rng.integers(0, 3, (rng.integers(2, 4), 6))
        middle = np.full(6, 2)
        tables = np.array(list(itertools.product(range(5), repeat=6)))
        fits = np.ones(len(tables), dtype=np.bool_)
        for row in labels:
            for g in range(3):
                fits &= tables[:, row == g].sum(axis=1) == middle[row == g].sum()
        same = np.ptp(tables[fits], axis=0) == 0
        assert determined_record_mask(labels).tolist() == same.tolist()


@pytest.mark.parametrize(("sizes", "recovered"), [((3, 4), 143), ((3, 4, 5), 274)])
def test_group_means_of_census_give_back_as_many_records_as_measured(
    sizes: tuple[int, ...], recovered: int
) -> None:
    X = casc.raw("census")
    labels = np.array([partition(X, k=k, method="mdav") for k in sizes])
    assert determined_record_mask(labels).sum() == recovered


@pytest.mark.slow
def test_six_methods_give_back_most_of_census() -> None:
    """Sets of six that differ give back from 801 to all of the 1,080."""
    X = casc.raw("census")
    names = ("mdav", "vmdav", "dbfs", "gsms", "ldf", "rmd")
    labels = np.array([partition(X, k=3, method=name) for name in names])
    A = np.array([row == g for row in labels for g in range(row.max() + 1)], float)
    values, vectors = np.linalg.eigh(A.T @ A)
    null = vectors[:, values < 1e-9 * values[-1]]
    by_algebra = np.abs(null).max(axis=1) < 1e-9
    determined_mask = determined_record_mask(labels)
    assert determined_mask.tolist() == by_algebra.tolist()
    assert 800 < determined_mask.sum() < 1080


def test_the_same_groups_again_and_their_unions_give_nothing_back() -> None:
    groups = np.arange(60) // 3
    unions = groups // 2
    assert not determined_record_mask(
        np.array([groups, groups, unions, unions // 3])
    ).any()


@pytest.mark.slow
def test_five_releases_of_ten_thousand_records_and_two_of_many() -> None:
    rng = np.random.default_rng(0)
    few = np.array([rng.permutation(10_000) // k for k in (3, 4, 5, 6, 7)])
    assert determined_record_mask(few).all()  # more sums than unknowns
    # Groups of three along a line, and the same moved by one: every third record is
    # the only one that two groups share, and on no cycle.
    line = np.arange(300_000)
    chain = determined_record_mask(np.array([line // 3, (line + 1) // 3]))
    assert chain.tolist() == (line % 3 == 2).tolist()


def test_a_record_in_one_release_only_can_follow_too() -> None:
    everybody, without_last = np.zeros(4, dtype=np.int64), np.array([0, 0, 0, -1])
    determined_mask = determined_record_mask(np.array([everybody, without_last]))
    assert determined_mask.tolist() == [False, False, False, True]


def sums_of_few_by_rank(labels: Integers, k: int, persons: Integers) -> Booleans:
    """The definition: all sets of records that one of two releases lacks are tried.

    Records that a release has and another lacks, of fewer than k people, whose sum is
    a combination of the sums: all sets of them are tried.
    """
    n = labels.shape[1]
    rows = [row == g for row in labels for g in range(row.max() + 1)]
    A = np.array(rows, dtype=np.float64).reshape(-1, n)
    rank = np.linalg.matrix_rank(A) if A.size else 0
    whose = np.where(persons < 0, n + np.arange(n), persons)
    follow = np.zeros(n, dtype=np.bool_)
    for release_labels, other in itertools.permutations(labels, 2):
        gone = np.flatnonzero((release_labels >= 0) & (other < 0)).tolist()
        for size in range(1, len(gone) + 1):
            for some in itertools.combinations(gone, size):
                if np.unique(whose[list(some)]).size < k:
                    subset_mask = np.isin(np.arange(n), some)
                    if np.linalg.matrix_rank(np.vstack([A, subset_mask])) == rank:
                        follow |= subset_mask
    return follow


@st.composite
def shrunk_releases(draw: st.DrawFn) -> tuple[Integers, Integers]:
    n, count = draw(st.integers(2, 8)), draw(st.integers(2, 3))
    row = st.lists(st.integers(-1, max(1, n // 3)), min_size=n, max_size=n)
    labels = np.array([draw(row) for _ in range(count)], dtype=np.int64)
    whose = st.lists(st.integers(-1, n), min_size=n, max_size=n)
    return labels, np.array(draw(whose), dtype=np.int64)


@given(shrunk_releases(), st.integers(2, 4))
def test_differences_of_two_releases_are_all_that_the_rank_says(
    drawn: tuple[Integers, Integers], k: int
) -> None:
    labels, persons = drawn
    limits = np.full(len(labels), k)
    whole = differencing_disclosure_mask(labels, limits, persons)
    assert not (whole & ~sums_of_few_by_rank(labels, k, persons)).any()
    two = differencing_disclosure_mask(labels[:2], limits[:2], persons)
    assert two.tolist() == sums_of_few_by_rank(labels[:2], k, persons).tolist()
    assert not (two & ~whole).any()  # a further release takes nothing back
    singles_mask = differencing_disclosure_mask(labels, np.full(len(labels), 2))
    single = determined_record_mask(labels) & (labels < 0).any(axis=0)
    if len(labels) == 2:
        assert singles_mask.tolist() == (single & (labels >= 0).any(axis=0)).tolist()


def test_a_difference_is_the_same_in_all_whole_number_tables_with_the_same_sums() -> (
    None
):
    rng = np.random.default_rng(4)
    tables = np.array(list(itertools.product(range(5), repeat=6)))
    n_following = 0
    for _ in range(60):
        labels = rng.integers(0, 2, (2, 6))
        labels[1, rng.choice(6, rng.integers(1, 4), replace=False)] = -1
        fits = np.ones(len(tables), dtype=np.bool_)
        for row in labels:
            for g in range(2):
                fits &= tables[:, row == g].sum(axis=1) == 2 * (row == g).sum()
        gone, k = np.flatnonzero(labels[1] < 0).tolist(), 3
        same = np.zeros(6, dtype=np.bool_)
        for size in range(1, min(k, len(gone) + 1)):
            for some in itertools.combinations(gone, size):
                if np.ptp(tables[fits][:, list(some)].sum(axis=1)) == 0:
                    same[list(some)] = True
        disclosure_mask = differencing_disclosure_mask(labels, np.array([k, k]))
        assert disclosure_mask.tolist() == same.tolist()
        n_following += int(same.sum())
    assert n_following
