from itertools import combinations

import numpy as np
import pytest

from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.search.better_parts import combine_better_parts


def drawn(rng: np.random.Generator, n: int, blocks: int) -> Labels:
    """Groups that lie in blocks of records, with numbers that are not dense."""
    block = np.arange(n) * blocks // n
    return (7 * block + rng.integers(0, 2, n)).astype(np.int64)


def sse_of(X: Values, labels: Labels) -> Values:
    """SSE of each record's group, shape (n_records,)."""
    group_rows = [X[labels == g] for g in labels]
    return np.array([np.square(G - G.mean(axis=0)).sum() for G in group_rows])


def groups_of(labels: Labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in labels.tolist()}


def total(X: Values, groups: set[frozenset[int]]) -> float:
    members = [X[sorted(group)] for group in groups]
    return float(sum(np.square(G - G.mean(axis=0)).sum() for G in members))


@pytest.mark.parametrize("seed", range(20))
def test_no_other_mix_of_both_partitions_loses_less(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, blocks = rng.normal(size=(12, 2)), 3
    before, after = drawn(rng, 12, blocks), drawn(rng, 12, blocks)
    labels, change = combine_better_parts(
        before, sse_of(X, before), after, sse_of(X, after), 0
    )
    combined_groups, old, new = map(groups_of, (labels, before, after))
    assert combined_groups <= old | new
    assert total(X, combined_groups) - total(X, old) == pytest.approx(change)
    least_sse = min(
        total(X, set(mix))
        for count in range(1, 7)
        for mix in combinations(old | new, count)
        if sum(map(len, mix)) == 12 and len(frozenset().union(*mix)) == 12
    )
    assert total(X, combined_groups) == pytest.approx(least_sse)


def test_what_noise_may_explain_stays_as_before() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    before, after = np.array([0, 1, 0, 1]), np.array([5, 5, 2, 2])
    sse_before, sse_after = sse_of(X, before), sse_of(X, after)
    for noise, expected in ((2.9, after), (3.1, before)):
        labels, change = combine_better_parts(
            before, sse_before, after, sse_after, noise
        )
        assert groups_of(labels) == groups_of(expected)
        assert change == pytest.approx(-3.0 if noise < 3 else 0.0)
