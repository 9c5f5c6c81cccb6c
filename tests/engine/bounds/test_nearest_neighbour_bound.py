"""LB0 is what its formula says, and no partition loses less."""

import numpy as np
import pytest

from engine import partition
from engine.bounds import nearest_bound


def naive_bound(X: np.ndarray, k: int) -> float:
    total = 0.0
    for i in range(len(X)):
        squared = sorted(((X - X[i]) ** 2).sum(axis=1).tolist())
        total += sum(squared[:k])  # the record itself adds nothing
    return total / (2 * k)


@pytest.mark.parametrize("k", [2, 3, 5, 17])
@pytest.mark.parametrize("p", [1, 4, 30])
def test_equals_its_formula_but_for_the_safety_margin(k: int, p: int) -> None:
    X = np.random.default_rng(k * p).normal(size=(70, p))
    bound = nearest_bound(X, k)
    assert bound.sse <= naive_bound(X, k)
    assert bound.sse == pytest.approx(naive_bound(X, k), rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_an_offset_never_lifts_it_above_a_method(offset: float) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3)) + offset
    labels = partition(X, k=3, scaling="none")
    sse = sum(
        ((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum()
        for g in range(labels.max() + 1)
    )
    assert 0 < nearest_bound(X, 3).sse < sse
