"""Numbers in, labels out."""

import numpy as np
import pytest

from engine import partition
from engine.errors import InfeasibleError, InputError, ParameterError


def test_lists_and_vectors_are_tables_of_numbers() -> None:
    np.testing.assert_array_equal(
        partition([1, 2, 9, 8], k=2), partition([[1.0], [2.0], [9.0], [8.0]], k=2)
    )


def test_labels_do_not_depend_on_units_when_scaled() -> None:
    X = np.random.default_rng(2).normal(size=(60, 3))
    units = np.array([1.0, 1024.0, 2.0**-20])
    np.testing.assert_array_equal(partition(X, k=4), partition(X * units, k=4))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([["a"], ["b"]], "table of numbers"),
        ([[1.0], [np.nan], [2.0]], "in 1 rows, first in row 1"),
        ([[1.0], [np.inf], [2.0]], "missing or infinite"),
        (np.zeros((2, 2, 2)), "shape"),
        (np.zeros((3, 0)), "shape"),
    ],
)
def test_what_is_no_table_of_finite_numbers_is_refused(X: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        partition(X, k=2)


def test_choices_that_do_not_exist_are_refused() -> None:
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ParameterError, match="'mdaw'"):
        partition(X, method="mdaw")
    with pytest.raises(ParameterError, match="'log'"):
        partition(X, scaling="log")
    with pytest.raises(ParameterError, match="'gamma'"):
        partition(X, gamma=1.0)
    with pytest.raises(InfeasibleError, match="fewer than k = 7"):
        partition(X, k=7)
    with pytest.raises(InfeasibleError):
        partition(np.zeros((0, 2)), k=3)


def test_the_input_is_not_touched() -> None:
    X = np.random.default_rng(3).normal(size=(30, 2))
    before = X.copy()
    partition(X, k=3)
    np.testing.assert_array_equal(X, before)
