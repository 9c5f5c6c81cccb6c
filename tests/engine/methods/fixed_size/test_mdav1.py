import numpy as np

from engine.methods.fixed_size.mdav1 import MDAV1


def test_the_last_group_is_the_outermost_k_and_others_join_their_nearest() -> None:
    X = np.array([[0.0], [1], [30], [31], [32], [99], [100]])
    # pairs at both ends; of 30, 31 and 32 the first two, and 32 goes to them
    np.testing.assert_array_equal(MDAV1(2).fit(X).labels_, [1, 1, 2, 2, 2, 0, 0])
