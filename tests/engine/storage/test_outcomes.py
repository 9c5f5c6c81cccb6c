"""What is loaded is what was saved, to the last bit; nothing is ever half there."""

import datetime
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sample_data
from engine.core.errors import InputError
from engine.data.kinds import Role
from engine.data.propose import suggest_schema
from engine.data.table import Origin, Table, frame_fingerprint
from engine.files import read_table
from engine.pipeline.compare import Failure
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.storage.outcomes import (
    create_folder_atomically,
    load_outcome,
    load_table,
    read_json,
    save_outcome,
    save_table,
    write_json,
)


@pytest.fixture
def many_types() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "integer": [3, 1, 2, -5],
            "small": np.array([1, 2, 3, 4], dtype=np.int16),
            "unsigned": np.array([1, 2, 2**63 + 1, 4], dtype=np.uint64),
            "nullable": pd.array([1, None, 2**60 + 1, 4], dtype="Int64"),
            "float": [0.1, math.nan, -0.0, 1e300],
            "single": np.array([0.1, 0.2, np.inf, 4], dtype=np.float32),
            "flag": [True, False, True, True],
            "maybe": pd.array([True, None, False, True], dtype="boolean"),
            "text": ["a", None, "", "\u00e9\u4e2d"],
            "category": pd.Categorical(
                ["b", "a", None, "b"], ["b", "a", "c"], ordered=True
            ),
            "code": pd.Categorical([30, 10, 20, 30], [30, 20, 10]),
            "moment": pd.to_datetime(["2020-01-02", None, "1900-05-05", "2020-03-01"]),
            "zoned": pd.to_datetime(["2020-01-02"] * 4).tz_localize("Europe/Madrid"),
            "day": [datetime.date(2020, 1, 2)] * 4,
            'a column, with "signs" and a \u20ac': [1.5, 2.5, 3.5, 4.5],
        }
    )


def assert_same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found, expected, check_exact=True, rtol=0, atol=0)
    assert frame_fingerprint(found) == frame_fingerprint(expected)


def test_a_table_keeps_values_types_and_fingerprint(
    many_types: pd.DataFrame, tmp_path: Path
) -> None:
    table = Table.from_frame(
        many_types,
        suggest_schema(many_types),
        Origin("csv", {"delimiter": ";", "header": True}, "a.csv"),
    ).assign(roles={"float": Role.QUASI_IDENTIFIER})
    save_table(table, tmp_path / "table")
    loaded_table = load_table(tmp_path / "table")
    assert_same(loaded_table.frame, table.frame)
    assert loaded_table.fingerprint == table.fingerprint
    assert loaded_table.schema == table.schema
    assert loaded_table.origin == table.origin


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(5, 13, 2, name="row"),
        pd.Index(["x", "y", "z", "w"]),
        pd.date_range("2020-01-01", periods=4),
        pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["first", None]),
    ],
)
def test_a_table_keeps_its_index(index: pd.Index, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}, index=index)
    save_table(read_table(frame), tmp_path / "table")
    pd.testing.assert_index_equal(
        load_table(tmp_path / "table").frame.index,
        index,
        exact=True,
        check_freq=False,
    )


def test_a_column_of_mixed_types_is_named(tmp_path: Path) -> None:
    frame = pd.DataFrame({"good": [1, 2], "bad": pd.Series([1, "x"], dtype=object)})
    with pytest.raises(InputError, match="Column 'bad' mixes types"):
        save_table(read_table(frame), tmp_path / "table")
    assert list(tmp_path.iterdir()) == []


def outcome_of(name: str, **choices: object) -> tuple[Outcome, Table]:
    table = sample_data.load(name)
    return run(Plan(**choices), table), table


@pytest.mark.parametrize(
    ("sample", "choices"),
    [
        ("business_survey", {"k": 4}),
        ("business_survey", {"k": 3, "aggregation": "median", "scaling": "range"}),
        ("expenditure", {"k": 3}),
        ("expenditure", {"k": 3, "polish": True}),
        ("expenditure", {"method": "iterated", "parameters": {"iterations": 500}}),
        ("hospital_discharges", {"method": "mdav-mixed", "missing": "drop"}),
        ("hospital_discharges", {"method": "caat", "missing": "median"}),
    ],
)
def test_an_outcome_comes_back_whole(
    sample: str, choices: dict[str, object], tmp_path: Path
) -> None:
    outcome, table = outcome_of(sample, **choices)
    save_outcome(outcome, tmp_path / "outcome", table)
    loaded_outcome = load_outcome(tmp_path / "outcome", table)
    assert isinstance(loaded_outcome, Outcome)
    assert loaded_outcome.plan == outcome.plan
    assert_same(loaded_outcome.release.frame, outcome.release.frame)
    np.testing.assert_array_equal(loaded_outcome.release.rows, outcome.release.rows)
    np.testing.assert_array_equal(
        loaded_outcome.partition.labels, outcome.partition.labels
    )
    assert loaded_outcome.summary() == outcome.summary()
    assert loaded_outcome.trace == outcome.trace
    assert dict(loaded_outcome.scores) == dict(outcome.scores)
    assert loaded_outcome.release.rules == outcome.release.rules


def test_who_is_told_apart_is_not_found_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome, table = outcome_of("hospital_discharges", k=3, missing="drop")
    assert outcome.uniqueness.least
    more = outcome.with_scores({})
    save_outcome(more, tmp_path / "outcome", table)
    loaded_outcome = load_outcome(tmp_path / "outcome", table)
    assert isinstance(loaded_outcome, Outcome)
    monkeypatch.setattr("engine.pipeline.outcome.released_uniqueness", None)
    assert loaded_outcome.uniqueness == more.uniqueness == outcome.uniqueness


def test_a_release_shares_unchanged_columns_with_the_table(tmp_path: Path) -> None:
    outcome, table = outcome_of("business_survey", k=3)
    save_outcome(outcome, tmp_path / "outcome", table)
    loaded_outcome = load_outcome(tmp_path / "outcome", table)
    assert isinstance(loaded_outcome, Outcome)
    untouched = [
        column.name
        for column in table.schema.columns
        if column.role not in (Role.IDENTIFIER, Role.QUASI_IDENTIFIER)
        and table.frame[column.name].dtype.kind in "iuf"
    ]
    assert untouched
    for name in untouched:
        assert np.shares_memory(
            loaded_outcome.release.frame[name].to_numpy(), table.frame[name].to_numpy()
        )


def test_an_outcome_of_another_table_is_refused(tmp_path: Path) -> None:
    outcome, table = outcome_of("business_survey", k=3)
    save_outcome(outcome, tmp_path / "outcome", table)
    with pytest.raises(InputError, match="another table"):
        load_outcome(tmp_path / "outcome", sample_data.load("expenditure"))


def test_a_failure_comes_back(tmp_path: Path) -> None:
    table = sample_data.load("ten_records")
    failure = Failure(Plan(k=7), "There are too few records: choose a smaller k.")
    save_outcome(failure, tmp_path / "failure", table)
    assert load_outcome(tmp_path / "failure", table) == failure


def test_nothing_is_left_when_writing_fails(tmp_path: Path) -> None:
    def fill() -> None:
        with create_folder_atomically(tmp_path / "folder") as part:
            (part / "half").write_text("...")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fill()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    def fill() -> None:
        with create_folder_atomically(tmp_path / "folder"):
            pass

    with pytest.raises(FileExistsError):
        fill()


def test_json_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    for content in ({"share": 0.5}, {"share": 1.0, "stage": "\u00e9"}):
        write_json(path, content)
        assert read_json(path) == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["progress.json"]


def test_a_stored_table_carries_its_file(tmp_path: Path) -> None:
    content = b"age,x\n" + b"".join(b"%d,1.50\n" % i for i in range(6))
    (tmp_path / "a.csv").write_bytes(content)
    for source in (content, tmp_path / "a.csv"):
        table = read_table(source, name="a.csv").assign(
            roles={"age": "quasi-identifier", "x": "other"}, kinds={"age": "continuous"}
        )
        folder = tmp_path / f"table {type(source).__name__}"
        save_table(table, folder)
        loaded_table = load_table(folder)
        outcome = run(Plan(k=3, method="mdav"), loaded_table)
        written = release_bytes_and_checks(outcome, loaded_table)
        assert written.content == release_bytes_and_checks(outcome, table).content
        assert written.content.count(b"1.50") == 6
        assert not written.failed_checks
