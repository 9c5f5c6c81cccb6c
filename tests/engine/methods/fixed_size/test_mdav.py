import numpy as np
import pytest

from engine.methods.fixed_size.mdav import MDAV
from engine.methods.fixed_size.mdav1 import MDAV1
from tests.casc import information_loss, zscored
from tests.reference.mdav import mdav


@pytest.mark.parametrize("k", [3, 4, 5, 10])
def test_loses_what_mdav1_loses_where_no_record_is_left_over(k: int) -> None:
    X = zscored("census")  # 1,080 records: a multiple of every k
    labels = MDAV(k).fit(X).labels_
    np.testing.assert_array_equal(labels, MDAV1(k).fit(X).labels_)


def test_splits_clusters_whose_size_is_no_multiple_of_k() -> None:
    values = np.array([10, 11, 12, 50, 51, 52, 100, 101, 102, 103])
    X = np.column_stack([values, values]).astype(np.float64)
    labels = MDAV(3).fit(X).labels_
    np.testing.assert_array_equal(labels, [0, 0, 0, 2, 2, 2, 2, 1, 1, 1])
    assert round(information_loss(X, labels), 2) == 12.60


def test_another_record_stands_in_where_the_first_group_takes_the_far_end() -> None:
    # r is record 4; all others are equally far from it, so that its group takes
    # records 0 and 1 of them, and with record 0 the one that was farthest from r
    others = [[1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [0, 0, 0], [1, 0, 1]]
    X = np.array(others, dtype=np.float64)
    np.testing.assert_array_equal(MDAV(3).fit(X).labels_, [0, 0, 1, 1, 0, 1])
    np.testing.assert_array_equal(mdav(X, 3), [0, 0, 1, 1, 0, 1])
