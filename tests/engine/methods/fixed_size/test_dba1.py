import numpy as np

from engine.methods.base import methods
from engine.methods.fixed_size.dba1 import DBA1


def test_is_also_known_as_hdf() -> None:
    assert methods.get("hdf") is DBA1


def test_the_tightest_neighbourhood_comes_first() -> None:
    X = np.array([[0.0], [3.0], [10.0], [11.0], [20.0], [22.0]])
    np.testing.assert_array_equal(DBA1(2).fit(X).labels_, [2, 2, 0, 0, 1, 1])


def test_a_record_whose_neighbours_left_finds_others() -> None:
    X = np.array([[0.0], [1.0], [2.5], [9.0]])
    # 2.5 is nearest to 1, but 1 goes with 0
    np.testing.assert_array_equal(DBA1(2).fit(X).labels_, [0, 0, 1, 1])
