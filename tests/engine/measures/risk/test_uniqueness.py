"""Who columns tell apart, beside counting by pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.measures.classes import ClassCache
from engine.measures.reidentification.uniqueness import (
    count_unique,
    most_identifying_columns,
    unique_per_column,
)
from engine.pipeline.evaluate import evaluate
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

PEOPLE = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70],
        "pay": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "ill": ["a", "b", "c", "d", "e", "f"],
    }
)


def counted(frame: pd.DataFrame, columns: list[str]) -> NDArray[np.int64]:
    """Count by pandas; a missing value equals only a missing one."""
    cells = frame[columns].astype(object).where(frame[columns].notna(), "missing")
    return np.asarray(cells.groupby(columns)[columns[0]].transform("size"))


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    n = draw(st.integers(1, 14))
    values = st.lists(st.sampled_from([1.0, 2.0, 3.0, np.nan]), min_size=n, max_size=n)
    words = st.lists(st.sampled_from(["x", "y", None]), min_size=n, max_size=n)
    return pd.DataFrame({"a": draw(values), "b": draw(values), "c": draw(words)})


@given(frames(), st.integers(2, 5))
def test_counts_are_those_of_pandas(frame: pd.DataFrame, k: int) -> None:
    uniqueness = count_unique(frame, list(frame.columns), k)
    sizes = counted(frame, list(frame.columns))
    assert uniqueness.unique == (sizes == 1).sum()
    assert uniqueness.fewer == (sizes < k).sum()
    assert uniqueness.least == sizes.min()
    assert uniqueness.is_safe == (sizes.min() >= k)
    class_cache = ClassCache()
    for protected_columns in (["a"], ["c", "a"]):
        counts = count_unique(
            frame, list(frame.columns), k, protected_columns, class_cache=class_cache
        )
        assert counts == count_unique(frame, list(frame.columns), k, protected_columns)
    for name, n_unique in unique_per_column(frame, list(frame.columns)).items():
        assert n_unique == (counted(frame, [name]) == 1).sum()


@given(frames(), st.integers(2, 4))
def test_without_what_singles_out_all_share(frame: pd.DataFrame, k: int) -> None:
    protected = ["a"]
    uniqueness = count_unique(frame, list(frame.columns), k, protected)
    assert "a" not in uniqueness.singling_out
    rest = [name for name in frame.columns if name not in uniqueness.singling_out]
    if counted(frame, protected).min() >= k:
        assert counted(frame, rest).min() >= k
        assert bool(uniqueness.singling_out) == (not uniqueness.is_safe)
    # None of them could stay.
    for name in uniqueness.singling_out:
        assert counted(frame, [*rest, name]).min() < k


@given(frames())
def test_telling_columns_tell_what_they_say(frame: pd.DataFrame) -> None:
    names, n_unique = most_identifying_columns(frame, list(frame.columns), 2)
    assert len(names) <= 2
    assert n_unique == ((counted(frame, list(names)) == 1).sum() if names else 0)
    counts_per_column = unique_per_column(frame, list(frame.columns))
    assert n_unique >= max(counts_per_column.values()) or len(frame) == 1


def outcome_of(roles: dict[str, Role]) -> tuple[Outcome, Table]:
    schema = Schema(
        tuple(
            Column(
                name,
                Kind.CONTINUOUS if name in ("age", "pay") else Kind.NOMINAL,
                roles.get(name, Role.OTHER),
            )
            for name in PEOPLE
        )
    )
    table = Table.from_frame(PEOPLE, schema)
    return run(Plan(k=3), table), table


def test_a_release_counts_all_that_leaves_but_what_is_confidential() -> None:
    quasi = {"age": Role.QUASI_IDENTIFIER, "pay": Role.QUASI_IDENTIFIER}
    outcome, _ = outcome_of(quasi | {"ill": Role.CONFIDENTIAL, "sex": Role.IDENTIFIER})
    assert outcome.k_verified
    assert outcome.uniqueness.is_safe
    assert outcome.uniqueness.columns == ("age", "pay")
    outcome, table = outcome_of(quasi | {"ill": Role.CONFIDENTIAL})
    frame = outcome.release.frame
    sizes = counted(frame, ["age", "pay", "sex"])
    assert outcome.uniqueness.fewer == (sizes < 3).sum() > 0
    assert outcome.uniqueness.singling_out == ("sex",)
    figures = outcome.summary()["uniqueness"]
    assert figures["unique"] == (sizes == 1).sum()
    assert figures["columns"] == ["age", "pay", "sex"]
    [uniqueness_warning] = [
        warning for warning in outcome.warnings if warning.topic == "uniqueness"
    ]
    assert "'sex'" in uniqueness_warning
    measured = evaluate(outcome, table, ["uniqueness"])["uniqueness"]
    assert measured.value == pytest.approx(100 * (sizes == 1).mean())
    assert measured.baseline == 100.0
    assert measured.per_column["sex"] == 0.0
