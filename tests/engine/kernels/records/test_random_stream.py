from __future__ import annotations

import numpy as np
import pytest

from engine.kernels.records.random_stream import (
    draw_below,
    draw_bits,
    draw_positive_uniform,
)
from tests.reference.iterated import Stream


def test_splitmix64_gives_its_published_numbers() -> None:
    state = np.array([1234567], dtype=np.uint64)
    assert [int(draw_bits(state)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_draws_equal_whole_number_arithmetic(seed: int) -> None:
    state, slow = np.array([seed], dtype=np.uint64), Stream(seed)
    for n in (1, 2, 7, 1000, 2**32 - 1) * 40:
        assert draw_below(state, n) == slow.below(n)
        assert draw_positive_uniform(state) == slow.share()
    assert int(state[0]) == slow.state


def test_draws_are_in_range_and_spread_evenly() -> None:
    state = np.array([3], dtype=np.uint64)
    counts = np.bincount([draw_below(state, 6) for _ in range(60_000)], minlength=6)
    assert counts.size == 6
    assert np.abs(counts - 10_000).max() < 400  # four standard deviations
    shares = np.array([draw_positive_uniform(state) for _ in range(20_000)])
    assert shares.min() > 0.0
    assert shares.max() <= 1.0
    assert shares.mean() == pytest.approx(0.5, abs=0.01)
