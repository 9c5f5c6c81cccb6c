import numpy as np

from engine.methods.fixed_size.gsms import GSMS


def test_the_neighbourhood_farthest_from_all_others_comes_first() -> None:
    X = np.array([[0.0], [1.0], [50.0], [51.0], [52.0], [53.0]])
    # the pair 0, 1 lies farthest from the mean; of those left, 50, 51 comes first
    np.testing.assert_array_equal(GSMS(2).fit(X).labels_, [0, 0, 1, 1, 2, 2])
