"""Distances of distributions equal SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, wasserstein_distance

from tests.engine.measures.tables import averaged, score

values = st.lists(st.integers(0, 9).map(float), min_size=2, max_size=20)


@given(values)
def test_distances_equal_those_of_scipy(values: list[float]) -> None:
    before = np.array(values)
    protected = averaged(before, np.arange(len(values)) // 2)
    after = protected.released[:, 0]
    statistic = score("ks", protected).value
    expected = ks_2samp(before, after, method="asymp").statistic
    assert statistic == pytest.approx(expected, abs=1e-12)
    distance = score("wasserstein", protected).value * before.std(ddof=1)
    # SciPy has no standard deviation to divide by where all is constant.
    expected = wasserstein_distance(before, after) if np.ptp(before) else 0.0
    assert distance == pytest.approx(expected, abs=1e-12)
