"""Tables small enough for brute force, on which bounds must not be too high."""

from collections.abc import Callable
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.reference.subsets import least_sse_of_many


def small_tables(seed: int, n_tables: int, n: int) -> np.ndarray:
    """Scattered, heavy-tailed, tied and clustered tables in turn."""
    rng = np.random.default_rng(seed)
    shape = (n_tables, n, 2)
    kinds = [
        rng.standard_normal(shape),
        rng.lognormal(0.0, 2.0, shape),
        rng.integers(0, 3, shape).astype(np.float64),
        rng.integers(0, 2, shape) * 10.0 + rng.random(shape),
    ]
    turn = np.arange(n_tables) % len(kinds)
    return np.choose(turn[:, None, None], kinds)


@cache
def solved_tables(n_tables: int, n: int, k: int) -> list[tuple[np.ndarray, float]]:
    """Return such tables, each with the least SSE of groups of at least k."""
    tables = small_tables(n * k, n_tables, n)
    return list(zip(tables, least_sse_of_many(tables, k).tolist(), strict=True))


def tied_tables(test: Callable) -> Callable:
    """Run a test on tables with ties, in units and offsets that bring rounding in.

    The test takes ``X, k, exact``: values, minimum group size, and what the values are
    without rounding but for an offset.
    """

    @given(
        arrays(np.float64, (8, 2), elements=st.integers(-4, 4)),
        st.integers(2, 3),
        st.sampled_from([1.0, 1e-9, 1e9, 1 / 3]),
        st.sampled_from([0.0, 1 / 7, 1e5]),
    )
    def run(whole: np.ndarray, k: int, unit: float, offset: float) -> None:
        X = (whole + offset) * unit
        test(X, k, X - X[0])  # whole multiples of the unit: no rounding

    run.__name__ = test.__name__
    return run
