"""Releases held by group have the very frame that they were made from."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sample_data
from engine.pipeline import run as pipeline
from engine.pipeline.outcome import Release
from engine.pipeline.plan import Plan
from engine.pipeline.protection.grouped_release import GroupedRelease, group_release

LABELS = np.array([1, 0, 1, 0, 2, 2])
ROWS = np.array([0, 1, 3, 4, 5, 6])
ORIGINAL = pd.DataFrame(
    {"same": list("abcdefg"), "x": np.arange(7.0), "when": pd.Timestamp("2020-01-01")},
    index=list("tuvwxyz"),
)


def released(**columns: object) -> Release:
    frame = ORIGINAL.iloc[ROWS].assign(**columns)
    return Release(frame, ROWS, ("x >= 0",))


def check_same(held: GroupedRelease, release: Release) -> None:
    pd.testing.assert_frame_equal(held.frame, release.frame, check_exact=True)
    assert held.columns == tuple(release.frame.columns)
    assert held.rules == release.rules
    for name in release.frame:
        before, after = release.frame[name], held.frame[name]
        assert [repr(value) for value in before] == [repr(value) for value in after]


@pytest.mark.parametrize(
    ("values", "is_common"),
    [
        ([2.0, 1.0, 2.0, 1.0, np.nan, np.nan], True),
        ([2.0, 1.0, 2.0, 1.5, 0.0, 0.0], False),
        ([2.0, 1.0, 2.0, 1.0, 0.0, -0.0], False),  # equal, and not the same
        ([2, 1, 2, 1, 7, 7], True),
        (pd.array([2, 1, 2, 1, None, None], dtype="Int64"), True),
        (pd.Categorical(["b", "a", "b", "a", None, None], ["a", "b", "c"]), True),
        (["b", "a", "b", "a", "", ""], True),
        (np.array(["b", "a", "b", "a", "", ""], dtype=object), True),
        (np.array([1, "a", True, "a", "c", "c"], dtype=object), False),
        (pd.to_datetime(["2020", "2021", "2020", "2021", None, None], utc=True), True),
        ([True, False, True, False, True, True], True),
    ],
    ids=str,
)
def test_values_come_back_as_they_were(values: object, is_common: bool) -> None:
    release = released(x=values, new=values)
    grouped_release = group_release(release, LABELS, ORIGINAL)
    check_same(grouped_release, release)
    assert ("x" in grouped_release.common, "new" in grouped_release.common) == (
        is_common,
        is_common,
    )
    assert "same" not in {*grouped_release.common, *grouped_release.own}
    assert group_release(grouped_release, LABELS, ORIGINAL) is grouped_release


@pytest.mark.parametrize(
    "choices",
    [
        {"method": "mdav"},
        {"method": "individual-ranking"},
        {"method": "fuzzy"},
        {"method": "mdav", "suppress": 4, "interval_columns": True},
    ],
    ids=str,
)
def test_every_kind_of_method(choices: dict[str, object]) -> None:
    table = sample_data.load("business_survey")
    outcome = pipeline.run(Plan(k=4, **choices), table)
    grouped_release = group_release(
        outcome.release, outcome.partition.labels, table.frame
    )
    check_same(grouped_release, outcome.release)
    assert replace(outcome, release=grouped_release).summary() == outcome.summary()


def test_only_the_release_looked_at_last_has_its_records() -> None:
    first, second = (group_release(released(x=2.0), LABELS, ORIGINAL) for _ in "ab")
    frame = first.frame
    assert first.frame is frame
    gone = weakref.ref(frame)
    del frame
    second.frame  # noqa: B018
    gc.collect()
    assert gone() is None
    last = weakref.ref(second.frame)
    del second
    gc.collect()
    assert last() is None  # with the release


def test_what_does_not_fit_is_refused() -> None:
    grouped_release = group_release(released(x=2.0), LABELS, ORIGINAL)
    parts = vars(grouped_release)
    names = ("original", "columns", "common", "own", "labels", "rows")
    good = {name: parts.get(name, grouped_release.columns) for name in names}
    GroupedRelease(**good)
    for name, bad in {
        "columns": ("same", "other"),
        "common": grouped_release.common.iloc[:2],
        "own": grouped_release.frame.iloc[:2],
        "labels": LABELS[:5],
        "rows": ROWS + 1,
    }.items():
        with pytest.raises(ValueError, match="do not fit"):
            GroupedRelease(**{**good, name: bad})
