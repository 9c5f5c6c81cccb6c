from __future__ import annotations

import numpy as np
import pytest

from engine.methods.fixed_size.cbfs import CBFS
from tests.casc import zscored
from tests.reference.cbfs import cbfs


@pytest.mark.parametrize("k", [3, 7, 40])
@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_equals_its_naive_twin_on_real_tables(name: str, k: int) -> None:
    X = zscored(name)
    np.testing.assert_array_equal(CBFS(k).fit(X).labels_, cbfs(X, k))


def test_groups_come_from_the_outside_in() -> None:
    X = np.random.default_rng(0).standard_normal((300, 3))
    labels = CBFS(4).fit(X).labels_
    remaining_mask = np.ones(300, dtype=bool)
    for group in range(labels.max()):
        middle = X[remaining_mask].mean(axis=0)
        distance = np.linalg.norm(X - middle, axis=1)
        assert labels[np.argmax(np.where(remaining_mask, distance, -1))] == group
        remaining_mask &= labels != group


def test_leftovers_join_groups_as_they_were_before_any_joined() -> None:
    X = np.array([[-10.0], [-10], [4], [4], [10], [10], [10], [7.5], [5.5]])
    np.testing.assert_array_equal(CBFS(3).fit(X).labels_, cbfs(X, 3))
