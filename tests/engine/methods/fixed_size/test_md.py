import numpy as np

from engine.methods.fixed_size.md import MD


def test_the_two_records_farthest_apart_seed_the_first_two_groups() -> None:
    X = np.array([[5.0], [0.0], [9.0], [1.0], [4.0], [8.0]])
    # 0 and 9 are farthest apart, the lower record's group comes first; 5 and 4 rest
    np.testing.assert_array_equal(MD(2).fit(X).labels_, [2, 0, 1, 0, 2, 1])


def test_fewer_than_k_left_join_the_centroid_from_before_any_joined() -> None:
    X = np.array([[0.0], [1.0], [2.0], [60.0], [100.0], [99.0], [98.0], [49.9]])
    # 60 goes to centroid 99, and 49.9 to centroid 1: with 60 the other were 89.25
    np.testing.assert_array_equal(MD(3).fit(X).labels_, [0, 0, 0, 1, 1, 1, 1, 0])
