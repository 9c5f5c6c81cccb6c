from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.mdav1 import MDAV1
from tests.casc import zscored
from tests.reference.mdav1 import mdav1


@pytest.mark.parametrize("k", [4, 7])
def test_equals_its_naive_twin_on_a_real_table(k: int) -> None:
    X = zscored("tarragona")  # 834 records: some are left over
    np.testing.assert_array_equal(MDAV1(k).fit(X).labels_, mdav1(X, k))


def test_the_last_group_is_the_outermost_k_and_others_join_their_nearest() -> None:
    X = np.array([[0.0], [1], [30], [31], [32], [99], [100]])
    # pairs at both ends; of 30, 31 and 32 the first two, and 32 goes to them
    np.testing.assert_array_equal(MDAV1(2).fit(X).labels_, [1, 1, 2, 2, 2, 0, 0])
