"""Sums and differences of columns are found."""

import warnings

import numpy as np
import pandas as pd

from engine.data.propose.relations.followers import find_followers_and_totals
from engine.data.propose.relations.totals import find_total_columns

N = 900
RNG = np.random.default_rng(5)


def test_a_total_is_the_sum_of_its_parts() -> None:
    parts = RNG.lognormal(8, 1, (N, 3)).round()
    frame = pd.DataFrame(parts, columns=["a", "b", "c"])
    frame["sum"] = frame.sum(axis=1)
    assert find_total_columns(frame, tuple(frame)) == {"sum": ("a", "b", "c")}


def test_a_difference_is_calculated_from_what_it_is_the_difference_of() -> None:
    first, second = RNG.integers(0, 100, (2, N))
    frame = pd.DataFrame({"a": first, "b": second, "c": first - second})
    assert find_followers_and_totals(frame, [*frame], [*frame])[1] == {"c": ("a", "b")}
    frame = pd.DataFrame({"ses": first + second, "other": second, "cses": first})
    totals = find_followers_and_totals(frame, [*frame], [*frame])[1]
    assert totals == {"cses": ("ses", "other")}


def test_infinite_numbers_are_compared_without_a_warning() -> None:
    frame = pd.DataFrame(RNG.integers(0, 100, (N, 4)), columns=[*"abcd"]).astype(float)
    frame["d"] = frame["a"] + frame["b"]
    frame.loc[3:9, ["c", "d"]] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        totals = find_followers_and_totals(frame, [*frame], [*frame])[1]
    assert totals == {"d": ("a", "b")}
