"""Weights are told from what they weigh, and from their replicates."""

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Role
from engine.data.propose import suggest_columns

N = 900
RNG = np.random.default_rng(5)


def test_replicate_weights_are_undecided_and_single_out() -> None:
    frame = pd.DataFrame({"PWGTP": RNG.integers(1, 300, N)})
    for j in range(1, 11):
        frame[f"PWGTP{j}"] = RNG.integers(1, 300, N)
    suggestions = {
        suggestion.column.name: suggestion for suggestion in suggest_columns(frame)
    }
    assert all(
        suggestions[f"PWGTP{j}"].column.role is Role.UNDECIDED
        and suggestions[f"PWGTP{j}"].about == "replicate-weight"
        for j in range(1, 11)
    )


@pytest.mark.parametrize("name", ["PWGTP", "overall"])
def test_what_replicates_repeat_weighs_whatever_it_is_called(name: str) -> None:
    weights = RNG.integers(10, 300, N)
    frame = pd.DataFrame({"score": RNG.integers(10, 300, N), name: weights})
    for j in range(1, 11):
        frame[f"PWGTP{j}"] = (weights * RNG.uniform(0.5, 1.5, N)).astype(int)
    suggestions = {
        suggestion.column.name: suggestion for suggestion in suggest_columns(frame)
    }
    assert suggestions[name].column.role is Role.WEIGHT
    assert suggestions["score"].column.role is not Role.WEIGHT
