from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.md import MD
from tests.reference.md import md


def test_the_two_records_farthest_apart_seed_the_first_two_groups() -> None:
    X = np.array([[5.0], [0.0], [9.0], [1.0], [4.0], [8.0]])
    # 0 and 9 are farthest apart, the lower record's group comes first; 5 and 4 rest
    np.testing.assert_array_equal(MD(2).fit(X).labels_, [2, 0, 1, 0, 2, 1])


def test_of_equally_far_pairs_the_lowest_records_come_first() -> None:
    X = np.array([[2.0, 2.0], [0.0, 2.0], [2.0, 0.0], [0.0, 0.0]])
    # both diagonals are as long: records 0 and 3 come before 1 and 2
    np.testing.assert_array_equal(MD(2).fit(X).labels_, [0, 0, 1, 1])


def test_neither_of_the_two_joins_the_other_where_all_records_are_equal() -> None:
    np.testing.assert_array_equal(
        MD(3).fit(np.ones((7, 2))).labels_, [0, 1, 0, 0, 1, 1, 0]
    )


def test_fewer_than_k_left_join_the_centroid_from_before_any_joined() -> None:
    X = np.array([[0.0], [1.0], [2.0], [60.0], [100.0], [99.0], [98.0], [49.9]])
    # 60 goes to centroid 99, and 49.9 to centroid 1: with 60 the other were 89.25
    np.testing.assert_array_equal(MD(3).fit(X).labels_, [0, 0, 0, 1, 1, 1, 1, 0])


def test_k_left_are_a_group() -> None:
    X = np.array([[0.0], [1.0], [50.0], [51.0], [100.0], [101.0]])
    np.testing.assert_array_equal(MD(2).fit(X).labels_, [0, 0, 2, 2, 1, 1])


@pytest.mark.parametrize("k", [2, 5, 30])
def test_equals_its_twin_after_many_removals(k: int) -> None:
    X = np.random.default_rng(k).lognormal(0.0, 1.5, (150, 4))
    np.testing.assert_array_equal(MD(k).fit(X).labels_, md(X, k))
