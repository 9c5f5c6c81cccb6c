import numpy as np

from engine.methods.fixed_size.tfrp1 import TFRP1


def test_groups_begin_at_the_highest_and_the_lowest_corner_in_turn() -> None:
    X = np.array([[0.0], [1.0], [2.0], [50.0], [97.0], [98.0], [100.0]])
    labels = TFRP1(2).fit(X).labels_
    # far from 0: 100 with 98; far from 100: 0 with 1; then 97 with 50; 2 is left over
    np.testing.assert_array_equal(labels, [1, 1, 1, 2, 2, 0, 0])
