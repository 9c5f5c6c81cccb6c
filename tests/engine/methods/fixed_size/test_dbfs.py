import numpy as np

from engine.methods.fixed_size.dbfs import DBFS, join_in_turn
from engine.methods.fixed_size.md import MD


def test_with_k_or_more_records_left_it_is_md() -> None:
    X = np.random.default_rng(1).standard_normal((52, 3))  # three pairs, 10 left
    np.testing.assert_array_equal(DBFS(7).fit(X).labels_, MD(7).fit(X).labels_)


def test_a_record_that_joins_moves_the_centroid_for_the_next() -> None:
    X = np.array([0.0, 1.0, 2.0, 40.0, 41.0, 42.0, 20.0, 22.0])[:, None]
    labels = np.array([0, 0, 0, 1, 1, 1, -1, -1])
    join_in_turn(X, labels)  # 22 lies nearer to 41 than to 1, but not than to 5.75
    np.testing.assert_array_equal(labels, [0, 0, 0, 1, 1, 1, 0, 0])
