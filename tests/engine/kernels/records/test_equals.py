from __future__ import annotations

import numpy as np

from engine.kernels.records.equals import has_earlier_equal, previous_equal_record


def test_each_record_knows_the_next_lower_one_that_is_equal() -> None:
    X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [1.0, 4.0], [1.0, 2.0]])
    np.testing.assert_array_equal(previous_equal_record(X), [-1, -1, 0, -1, 2])


def test_minus_zero_equals_zero() -> None:
    np.testing.assert_array_equal(
        previous_equal_record(np.array([[0.0], [-0.0]])), [-1, 0]
    )


def test_a_record_counts_while_it_remains() -> None:
    lower = previous_equal_record(np.zeros((4, 1)))
    slot = np.zeros(4, dtype=np.int64)
    assert has_earlier_equal(lower, slot, 3)
    slot[1] = slot[2] = -1
    assert has_earlier_equal(lower, slot, 3)
    slot[0] = -1
    assert not has_earlier_equal(lower, slot, 3)
