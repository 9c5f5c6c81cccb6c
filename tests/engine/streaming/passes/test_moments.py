"""Moments are those of all records, to the last bit whatever the batches."""

import numpy as np
import pytest

from engine.core.errors import ParameterError
from engine.points.scaling import ArraySpread, centre_and_scale, scalings
from engine.streaming.passes.moments import SUM_RUN_RECORDS, StreamingColumnMoments

N = 2 * SUM_RUN_RECORDS + 1234


def of(
    values: np.ndarray, step: int, weights: np.ndarray | None = None
) -> StreamingColumnMoments:
    moments = StreamingColumnMoments(values.shape[1], weighted=weights is not None)
    for start in range(0, len(values), step):
        part = slice(start, start + step)
        moments.add_records(values[part], None if weights is None else weights[part])
    return moments.finish()


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    return np.random.default_rng(0).lognormal(size=(N, 3)) * [1, 1e-6, 1e9]


def test_moments_are_those_of_the_whole(values: np.ndarray) -> None:
    moments = of(values, 10_000)
    assert moments.n == N
    np.testing.assert_allclose(moments.mean, values.mean(axis=0), rtol=1e-13)
    squares = np.square(values - values.mean(axis=0)).sum(axis=0)
    np.testing.assert_allclose(moments.sums_of_squares, squares, rtol=1e-12)
    np.testing.assert_array_equal(moments.low, values.min(axis=0))
    np.testing.assert_array_equal(moments.high, values.max(axis=0))
    np.testing.assert_array_equal(
        moments.weighted_sums_of_squares, moments.sums_of_squares
    )


def test_batches_do_not_matter_to_the_last_bit(values: np.ndarray) -> None:
    weights = np.random.default_rng(1).random(N) + 0.5
    whole = of(values, N, weights)
    for step in (777, SUM_RUN_RECORDS, SUM_RUN_RECORDS + 1):
        other = of(values, step, weights)
        for name in (
            "mean",
            "sums_of_squares",
            "low",
            "high",
            "weighted_sums_of_squares",
        ):
            np.testing.assert_array_equal(getattr(other, name), getattr(whole, name))


@pytest.mark.parametrize("step", [N, 1000, 70_000])
def test_parts_are_joined_to_the_whole(values: np.ndarray, step: int) -> None:
    weights = np.random.default_rng(1).random(N) + 0.5
    found, whole = StreamingColumnMoments(3, weighted=True), of(values, N, weights)
    found.join(StreamingColumnMoments(3, weighted=True).finish())  # of no records
    for first in range(0, N, step):
        part = slice(first, first + step)
        found.join(of(values[part], 333, weights[part]))
    assert found.n == N
    for name in ("mean", "sums_of_squares", "weighted_sums_of_squares"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(whole, name), rtol=1e-12
        )
    np.testing.assert_array_equal(found.low, whole.low)
    np.testing.assert_array_equal(found.high, whole.high)
    if step == N:
        np.testing.assert_array_equal(found.mean, whole.mean)
        np.testing.assert_array_equal(found.sums_of_squares, whole.sums_of_squares)


def test_a_large_mean_costs_no_digits() -> None:
    small = np.random.default_rng(2).integers(0, 100, (N, 1)).astype(float)
    far = of(small + 1e12, 5000)
    np.testing.assert_allclose(
        far.sums_of_squares, of(small, 5000).sums_of_squares, rtol=1e-12
    )
    parts = StreamingColumnMoments(1)
    for first in range(0, N, 50_000):
        parts.join(of(small[first : first + 50_000] + 1e12, 5000))
    np.testing.assert_allclose(parts.sums_of_squares, far.sums_of_squares, rtol=1e-12)
    assert parts.mean == pytest.approx(1e12 + small.mean(), rel=1e-15)


def test_whole_weights_count_records_several_times() -> None:
    rng = np.random.default_rng(3)
    values, weights = rng.normal(size=(500, 2)), rng.integers(1, 5, 500)
    moments = of(values, 90, weights.astype(float))
    repeated = of(np.repeat(values, weights, axis=0), 90)
    np.testing.assert_allclose(
        moments.weighted_sums_of_squares, repeated.sums_of_squares, rtol=1e-12
    )
    np.testing.assert_allclose(moments.mean, values.mean(axis=0))


@pytest.mark.parametrize("name", [info.id for info in scalings.infos()])
def test_every_scaling_is_that_of_a_table_in_memory(name: str) -> None:
    values = np.random.default_rng(4).normal(5, 3, size=(1000, 3))
    values[:, 1] = 7.0
    centre, scale = centre_and_scale(name, ArraySpread(values))
    streamed_scaling = centre_and_scale(name, of(values, 300))
    np.testing.assert_allclose(streamed_scaling[0], centre, atol=1e-12)
    np.testing.assert_allclose(streamed_scaling[1], scale, rtol=1e-12)


def test_an_unknown_scaling_is_refused() -> None:
    with pytest.raises(ParameterError, match="scaling"):
        centre_and_scale("nothing", of(np.ones((3, 1)), 3))
