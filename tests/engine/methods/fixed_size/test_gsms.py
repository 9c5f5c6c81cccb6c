from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.gsms import GSMS
from tests.reference.gsms import gsms as naive


def test_the_neighbourhood_farthest_from_all_others_comes_first() -> None:
    X = np.array([[0.0], [1.0], [50.0], [51.0], [52.0], [53.0]])
    # the pair 0, 1 lies farthest from the mean; of those left, 50, 51 comes first
    np.testing.assert_array_equal(GSMS(2).fit(X).labels_, [0, 0, 1, 1, 2, 2])


def test_of_equally_good_neighbourhoods_that_of_the_lowest_record_is_taken() -> None:
    X = np.array([[3.0], [1.0], [-3.0], [-1.0]]) / 7.0
    np.testing.assert_array_equal(GSMS(2).fit(X).labels_, [0, 0, 1, 1])


@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("duplicates", [1, 4])
def test_equals_its_twin_after_many_removals(k: int, duplicates: int) -> None:
    rng = np.random.default_rng(k)
    X = np.repeat(rng.lognormal(0.0, 1.0, (160 // duplicates, 3)), duplicates, axis=0)
    X = X[rng.permutation(160)]
    np.testing.assert_array_equal(GSMS(k).fit(X).labels_, naive(X, k))
