"""Codes are as far apart as the indicators that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.typing import Integers
from engine.kernels.records.coded_records import (
    CodedRecords,
    SearchRecords,
    gather_member_columns,
    sq_dist_between,
    sq_dist_to_centre,
    write_centroid_terms,
    write_sq_dists_to_centre,
)
from engine.methods.search.refined import refine_labels

SIZES = (2, 60, 5)
"""Directions of each level."""


def records(seed: int, n: int = 9, numbers: int = 2) -> CodedRecords:
    rng = np.random.default_rng(seed)
    starts = np.cumsum((0, *SIZES))
    codes = starts[:-1] + rng.integers(0, SIZES, (n, len(SIZES)))
    codes[rng.random(codes.shape) < 0.1] = starts[-1]  # none
    sq_len = np.append(rng.integers(0, 5, starts[-1]).astype(float), 0.0)
    values = rng.normal(size=(n, numbers))
    for each in (values, codes):
        each.flags.writeable = False  # as in a search, so that kernels compile once
    return CodedRecords(values, codes, sq_len)


cases = given(st.integers(0, 2**32), st.integers(0, 3))


@cases
def test_pairs(seed: int, numbers: int) -> None:
    coded = records(seed, numbers=numbers)
    X = coded.to_coordinates()
    assert X.shape == (9, numbers + sum(SIZES))
    for i in range(9):
        for other in range(9):
            expected = float(np.square(X[i] - X[other]).sum())
            assert sq_dist_between(*coded, i, other) == pytest.approx(
                expected, abs=1e-12
            )


@cases
def test_centroids(seed: int, numbers: int) -> None:
    coded = records(seed, numbers=numbers)
    X = coded.to_coordinates()
    members: Integers = np.array([[0, 0, 0, 0], [1, 4, 5, 8]])
    centre, fixed = np.full((2, numbers + coded.sq_len.size), np.nan), np.zeros(2)
    write_centroid_terms(*coded, members, 4, centre, fixed, 1)
    mean = X[members[1]].mean(axis=0)
    for i in range(9):
        sq_distance = sq_dist_to_centre(coded.numbers, coded.codes, centre, fixed, i, 1)
        assert sq_distance == pytest.approx(
            float(np.square(X[i] - mean).sum()), abs=1e-12
        )


@given(st.integers(0, 2**32), st.integers(0, 20), st.booleans(), st.integers(1, 9))
def test_distances_of_a_group_are_those_one_by_one_to_the_last_bit(
    seed: int, numbers: int, has_codes: bool, size: int
) -> None:
    coded = records(seed, numbers=numbers)
    if not has_codes:
        coded = CodedRecords.from_numbers(coded.numbers)
    members: Integers = np.array([range(9), range(9)])
    width = numbers + coded.sq_len.size
    centre, fixed = np.zeros((2, width)), np.zeros(2)
    write_centroid_terms(*coded, members, 4, centre, fixed, 1)
    columns, sq_distances = np.zeros((numbers, 16)), np.zeros(16)
    gather_member_columns(coded.numbers, members, size, 0, columns)
    write_sq_dists_to_centre(
        coded.numbers,
        coded.codes,
        members,
        size,
        0,
        columns,
        centre,
        fixed,
        1,
        sq_distances,
    )
    assert sq_distances[:size].tolist() == [
        sq_dist_to_centre(coded.numbers, coded.codes, centre, fixed, i, 1)
        for i in range(size)
    ]


@given(st.integers(0, 2**32), st.sampled_from((1, 4, 17)), st.integers(2, 4))
def test_numbers_alone_group_as_beside_a_category_that_all_share(
    seed: int, p: int, k: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (40, p)).astype(np.float64)
    same = CodedRecords(X, np.zeros((40, 1), dtype=np.int64), np.array([1.0, 0.0]))
    view = SearchRecords(same, same, X, 0)
    labels = np.arange(40) // k
    labels[labels == 40 // k] -= 1
    assert refine_labels(X, labels, k).tolist() == (
        refine_labels(view, labels, k).tolist()
    )


def test_numbers_alone_stay_the_same_array() -> None:
    X = np.random.default_rng(0).normal(size=(4, 3))
    assert CodedRecords.from_numbers(X).to_coordinates() is X
    some = CodedRecords.from_numbers(X).select(np.array([2, 0]))
    assert np.array_equal(some.to_coordinates(), X[[2, 0]])
