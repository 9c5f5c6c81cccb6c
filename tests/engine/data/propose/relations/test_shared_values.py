"""Columns with texts in common are found, in time that grows with the columns."""

import sys

import numpy as np
import pandas as pd
import pytest

from engine.data.propose import suggest_columns
from engine.data.propose.relations import (
    followers,
    shared_values,
    survey_weights,
    totals,
)
from engine.data.propose.relations.shared_values import iterate_renamed_columns


def wide_frame(width: int) -> pd.DataFrame:
    """Return codes, names, texts that belong to the names one by one, and numbers."""
    rng, codes = np.random.default_rng(5), np.arange(60) // 2
    columns: dict[str, object] = {"person_id": codes + 4_000_000}
    for j in range(width // 4):
        order = rng.permutation(30)
        names = [f"ORG-{number}-{j} Holding" for number in order]
        columns[f"firm{j}_name"] = [names[code] for code in codes]
        columns[f"sign{j}"] = [f"sign {order[code]} {j}" for code in codes]
        columns[f"answer{j}"] = rng.integers(1, 6, 60)
        columns[f"value{j}"] = rng.normal(size=60)
    return pd.DataFrame(columns)


def test_texts_that_repeat_names_are_found_among_many_columns_as_among_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = wide_frame(24)
    names = [name for name in frame if name.endswith("_name")]
    signs = [name for name in frame if name.startswith("sign")]
    pairs = [*iterate_renamed_columns(frame, signs, names)]
    assert len(pairs) == 6
    monkeypatch.setattr(shared_values, "MAX_COMPARED_COLUMNS", 2)
    assert [*iterate_renamed_columns(frame, signs, names)] == pairs


@pytest.mark.slow
def test_four_times_the_columns_are_four_times_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (followers, shared_values, survey_weights, totals):
        monkeypatch.setattr(module, "MAX_COMPARED_COLUMNS", 20)

    def calls(width: int) -> int:
        frame, entered = wide_frame(width), 0

        def count(frame: object, event: str, _: object) -> None:
            nonlocal entered
            entered += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            suggest_columns(frame)
        finally:
            sys.setprofile(before)
        return entered

    calls(20)
    assert calls(800) < 4.6 * calls(200)
