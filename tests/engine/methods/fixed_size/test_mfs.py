from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.md import MD
from engine.methods.fixed_size.mfs import MFS
from tests.casc import information_loss, zscored
from tests.reference.mfs import mfs


def test_the_nearest_to_the_mean_of_the_group_joins_and_not_to_its_first() -> None:
    # (3, 0) joins (0, 0): then (5.5, 1) is 4.1 from their mean, and (0, 4) is 4.3,
    # which is nearer to (0, 0)
    ends = [[0, 0], [3, 0], [0, 4], [5.5, 1], [60, 60], [60, 61], [61, 61]]
    X = np.array([*ends, [0, 5], [0, 5.2]])
    np.testing.assert_array_equal(MFS(3).fit(X).labels_, [0, 0, 2, 0, 1, 1, 1, 2, 2])
    np.testing.assert_array_equal(MD(3).fit(X).labels_, [0, 0, 0, 2, 1, 1, 1, 2, 2])


@pytest.mark.parametrize("k", [2, 5, 30])
def test_equals_its_twin_after_many_removals(k: int) -> None:
    X = np.random.default_rng(k).lognormal(0.0, 1.0, (300, 3))
    np.testing.assert_array_equal(MFS(k).fit(X).labels_, mfs(X, k))


@pytest.mark.parametrize(("k", "printed"), [(3, "15.60"), (4, "19.27"), (5, "22.67")])
def test_loses_on_tarragona_what_its_paper_prints(k: int, printed: str) -> None:
    loss = information_loss(X := zscored("tarragona"), MFS(k).fit(X).labels_)
    assert f"{loss:.2f}" == printed
