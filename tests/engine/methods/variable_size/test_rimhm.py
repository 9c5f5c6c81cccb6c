from __future__ import annotations

import numpy as np
import pytest

from engine.methods.variable_size.rimhm import RIMHM, shuffle_runs
from tests.reference.rimhm import rimhm


@pytest.mark.parametrize(("share", "size"), [(0.0, 1), (0.1, 23), (0.4, 92), (1, 230)])
def test_records_stay_in_their_run_and_the_last_run_takes_what_is_left(
    share: float, size: int
) -> None:
    X = np.random.default_rng(0).permutation(230)[:, np.newaxis].astype(np.float64)
    order = shuffle_runs(X, share, np.random.default_rng(1))
    values = X[order, 0]
    for start in range(0, size * (230 // size), size):
        stop = start + size if start + 2 * size <= 230 else 230
        assert sorted(values[start:stop]) == list(range(start, stop))
    assert np.array_equal(values, np.sort(values)) is (share == 0.0)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.43])
def test_blocks_are_those_of_the_twin(share: float) -> None:
    X = np.random.default_rng(5).standard_normal((230, 3))
    labels = RIMHM(5, seed=7, share=share, block_records=100).fit(X).labels_
    twin = rimhm(X, 5, seed=7, share=share, block_records=100)
    assert np.array_equal(labels, twin)
