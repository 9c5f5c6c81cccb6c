import numpy as np
import pytest

from engine.methods.fixed_size.pairwise_systematic import PairwiseSystematic
from tests.casc import information_loss, raw, zscored

KS = (3, 4, 5, 10)

PRINTED = (5.494040549, 8.329209112, 10.8749404, 17.01194228)


def loss(X: np.ndarray, k: int) -> float:
    return information_loss(X, PairwiseSystematic(k).fit(X).labels_)


@pytest.mark.parametrize(("k", "figure"), list(zip(KS, PRINTED, strict=True)))
def test_the_printed_figures_are_on_raw_values(k: int, figure: float) -> None:
    assert loss(raw("tarragona"), k) == pytest.approx(figure, rel=2e-3)
    assert loss(zscored("tarragona"), k) > 2 * figure


def test_first_and_last_by_the_sum_of_the_attributes_seed_groups() -> None:
    X = np.array(
        [[9.0, 9.0], [0.0, 1.0], [5.0, 5.0], [0.0, 0.0], [5.0, 4.0], [8.0, 9.0]]
    )
    np.testing.assert_array_equal(
        PairwiseSystematic(2).fit(X).labels_, [1, 0, 2, 0, 2, 1]
    )


def test_the_means_in_the_sort_key_change_nothing() -> None:
    X = np.random.default_rng(0).integers(0, 6, (80, 3)).astype(float)
    np.testing.assert_array_equal(
        PairwiseSystematic(3).fit(X - [7.0, -30.0, 256.0]).labels_,
        PairwiseSystematic(3).fit(X).labels_,
    )


def test_the_last_record_is_not_taken_into_the_first_one_s_group() -> None:
    # the sums are 0 to 3 while all lie in one place but the two in between
    X = np.array([[0.0, 0.0], [3.0, 0.0], [99.0, -98.0], [99.0, -97.5]])
    X = np.vstack([X, [[50.0, -49.0], [51.0, -49.5]]])
    labels = PairwiseSystematic(2).fit(X).labels_
    assert labels[0] != labels[1]


def test_a_group_grows_by_the_record_nearest_to_its_centroid() -> None:
    X = np.array(
        [[0.0], [10.0], [14.0], [-9.0], [40.0], [41.0], [42.0], [20.0], [22.0]]
    )
    # -9 takes 0; their centroid -4.5 is nearer to 10 than to 14
    np.testing.assert_array_equal(
        PairwiseSystematic(3).fit(X).labels_, [0, 0, 2, 0, 1, 1, 1, 2, 2]
    )


@pytest.mark.parametrize(
    ("n", "sizes"), [(8, [4, 4]), (11, [4, 7]), (12, [4, 4, 4]), (15, [4, 4, 7])]
)
def test_what_is_left_is_one_group_or_the_first_record_s_and_the_rest(
    n: int, sizes: list[int]
) -> None:
    X = np.random.default_rng(n).standard_normal((n, 2))
    np.testing.assert_array_equal(
        np.bincount(PairwiseSystematic(4).fit(X).labels_), sizes
    )
