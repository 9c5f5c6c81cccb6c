from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.methods.variable_size.even_sized import EvenSized, assign_evenly
from tests.casc import information_loss, zscored


@given(data=st.data())
def test_records_are_given_to_centres_at_the_least_cost(data: st.DataObject) -> None:
    n, c = data.draw(st.sampled_from([(4, 2), (5, 2), (6, 3), (7, 3), (7, 2), (8, 3)]))
    points = st.integers(0, 5)
    X = data.draw(arrays(np.float64, (n, 2), elements=points))
    centres = data.draw(arrays(np.float64, (c, 2), elements=points))
    cost = ((X[:, None] - centres[None]) ** 2).sum(axis=2)
    labels = assign_evenly(X, centres)
    sizes = np.bincount(labels, minlength=c)
    assert sizes.min() == n // c
    assert sizes.max() == -(-n // c)
    least_cost = min(
        cost[range(n), owner].sum()
        for owner in product(range(c), repeat=n)
        if sorted(map(owner.count, range(c))) == sorted(sizes)
    )
    assert cost[np.arange(n), labels].sum() == pytest.approx(least_cost)


@pytest.mark.parametrize("centres", ["far-apart", "random"])
@pytest.mark.parametrize("n", [30, 31, 37, 39])
def test_sizes_differ_by_at_most_one(n: int, centres: str) -> None:
    X = np.random.default_rng(n).standard_normal((n, 2))
    sizes = np.bincount(EvenSized(4, centres=centres).fit(X).labels_)
    assert len(sizes) == n // 4
    assert sizes.max() - sizes.min() == (n % (n // 4) > 0)


def test_another_seed_draws_other_centres() -> None:
    X = np.random.default_rng(0).standard_normal((60, 2))
    first, second = (EvenSized(3, seed=seed).fit(X).labels_ for seed in (0, 1))
    assert (first != second).any()


def test_loses_less_than_mdav_on_census() -> None:
    X = zscored("census")  # MDAV loses 14.16 %
    assert information_loss(X, EvenSized(10).fit(X).labels_) < 12.5
