import numpy as np

from engine.methods.fixed_size.ldf import LDF


def test_the_widest_neighbourhood_comes_first() -> None:
    X = np.array([[0.0], [3.0], [10.0], [11.0], [20.0], [22.0]])
    np.testing.assert_array_equal(LDF(2).fit(X).labels_, [0, 0, 2, 2, 1, 1])
