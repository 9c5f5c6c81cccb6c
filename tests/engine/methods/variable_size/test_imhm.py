from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.methods.variable_size.imhm import IMHM, assign_within_sizes
from tests.casc import information_loss, zscored
from tests.reference.imhm import imhm


@given(data=st.data())
def test_records_are_given_to_centres_within_the_sizes_at_the_least_cost(
    data: st.DataObject,
) -> None:
    n, c, k = data.draw(
        st.sampled_from([(4, 2, 2), (5, 2, 2), (6, 2, 2), (7, 3, 2), (8, 2, 3)])
    )
    cost = data.draw(arrays(np.float64, (n, c), elements=st.integers(0, 9)))
    labels = assign_within_sizes(cost, k)
    sizes = np.bincount(labels, minlength=c)
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
    least_cost = min(
        cost[range(n), owner].sum()
        for owner in product(range(c), repeat=n)
        if all(k <= owner.count(centre) < 2 * k for centre in range(c))
    )
    assert cost[np.arange(n), labels].sum() == pytest.approx(least_cost)


@pytest.mark.parametrize("k", [3, 7])
def test_blocks_are_those_of_the_twin(k: int) -> None:
    X = np.random.default_rng(k).standard_normal((230, 3))
    labels = IMHM(k, block_records=100).fit(X).labels_
    assert np.array_equal(labels, imhm(X, k, block_records=100))


@pytest.mark.parametrize(
    ("k", "printed"),
    [
        (3, "16.9305"),
        (6, "25.5058"),
        *(
            pytest.param(k, text, marks=pytest.mark.slow)
            for k, text in [(4, "19.515"), (5, "22.1861"), (10, "30.7841")]
        ),
    ],
)
def test_loses_on_tarragona_what_the_paper_prints(k: int, printed: str) -> None:
    loss = information_loss(X := zscored("tarragona"), IMHM(k).fit(X).labels_)
    assert f"{loss:.{len(printed.partition('.')[2])}f}" == printed
