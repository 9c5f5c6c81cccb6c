"""Records go where a tree of split points sends them."""

import numpy as np

from engine.kernels.index.routing import assign_leaves


def test_smaller_values_go_left_and_equal_ones_by_their_numbers() -> None:
    values = np.array([[0.0], [1.0], [1.0], [1.0], [2.0]])
    numbers = np.array([10, 11, 12, 13, 14])
    out = np.empty(5, dtype=np.int64)
    assign_leaves(
        values,
        numbers,
        np.array([0]),
        np.array([1.0]),
        np.array([12]),
        np.array([[-1, -2]]),
        out,
    )
    assert out.tolist() == [0, 0, 1, 1, 1]


def test_every_node_asks_for_its_own_attribute() -> None:
    values = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0], [9.0, 9.0]])
    out = np.empty(4, dtype=np.int64)
    assign_leaves(
        values,
        np.arange(4),
        np.array([0, 1]),
        np.array([5.0, 5.0]),
        np.array([0, 0]),
        np.array([[1, -3], [-1, -2]]),
        out,
    )
    assert out.tolist() == [0, 1, 2, 2]
