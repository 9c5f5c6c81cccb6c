"""Columns of which one is never above the other are found, and no others."""

import time
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.propose.relations import ordered_columns
from engine.data.propose.relations.ordered_columns import find_ordered_columns

N = 90


def brute_force_pairs(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """Return all pairs that nothing breaks, though all combinations of values would."""
    pairs = set()
    for low, high in permutations(frame, 2):
        both = frame[[low, high]].dropna()
        if (both[low] <= both[high]).all() and len(both):
            every = np.greater.outer(both[low].to_numpy(), both[high].to_numpy())
            if len(both) * every.mean() > np.log(1e6):
                pairs.add((low, high))
    pairs -= {(high, low) for low, high in pairs}
    return {
        (a, c) for a, c in pairs if not any({(a, b), (b, c)} <= pairs for b in frame)
    }


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 6), st.sampled_from([0.0, 0.1]))
def test_pairs_are_those_of_all_comparisons(seed: int, width: int, gaps: float) -> None:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 20, N).astype(float)]
    for _ in range(width - 1):
        step = np.where(rng.random(N) < 0.5, 0, rng.integers(-1, 6, N))
        step = np.maximum(step, rng.integers(-1, 1))
        columns.append(columns[int(rng.integers(len(columns)))] + step)
    frame = pd.DataFrame({f"c{i}": column for i, column in enumerate(columns)})
    frame = frame.mask(rng.random(frame.shape) < gaps)
    assert {*find_ordered_columns(frame, [*frame])} == brute_force_pairs(frame)


def test_dates_are_compared_with_dates_alone() -> None:
    rng = np.random.default_rng(3)
    start_dates = pd.Timestamp("1970-01-01") + pd.to_timedelta(
        rng.integers(0, 900, N), "D"
    )
    end_dates = start_dates + pd.to_timedelta(rng.integers(0, 9, N), "D")
    frame = pd.DataFrame(
        {"begun": start_dates, "ended": end_dates, "x": rng.integers(0, 9, N)}
    )
    assert find_ordered_columns(frame, [*frame]) == (("begun", "ended"),)


def test_a_wide_table_takes_no_time_that_counts() -> None:
    """Pairs are looked at in few records: not even a tenth of a millisecond each."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(20_000, 150)).cumsum(axis=1))
    frame.columns = [f"c{i}" for i in range(150)]
    began = time.process_time()
    assert find_ordered_columns(frame, [*frame]) == ()
    assert time.process_time() - began < 2.0
    wider = frame.assign(other=frame["c0"] + 1.0)
    assert find_ordered_columns(wider, [*wider]) == ()


def test_pairs_of_fewer_columns_are_looked_up_and_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        rng.integers(0, 9, (N, 7)).cumsum(axis=1), columns=[*"abcdefg"]
    )
    narrower = [[*some] for n in range(2, 7) for some in combinations(frame.columns, n)]
    expected = [find_ordered_columns(frame, some) for some in narrower]
    known: dict[tuple[str, str], float | None] = {}
    assert find_ordered_columns(frame, [*frame], known)
    monkeypatch.setattr(ordered_columns, "comparable_numbers", None)
    assert [find_ordered_columns(frame, some, known) for some in narrower] == expected
