"""A release is written whole or not at all, and counted as written."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.errors import InputError, ParameterError
from engine.files import read_table
from engine.outcome import Outcome
from engine.pipeline import run
from engine.plan import Plan
from engine.release import (
    VerificationError,
    check_targets,
    k_of_bytes,
    origin_for,
    release_bytes,
    write_all,
    write_files,
)
from engine.table import Origin, Table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"a": rng.normal(size=30), "b": rng.normal(size=30)})
    path = tmp_path / "in.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",")
    return read_table(
        path,
        roles={"a": "quasi-identifier", "b": "quasi-identifier"},
        kinds={"a": "continuous", "b": "continuous"},
    )


@pytest.fixture
def outcome(table: Table) -> Outcome:
    return run(Plan(k=3), table)


def test_the_release_comes_back_the_way_the_file_went_in(
    outcome: Outcome, table: Table
) -> None:
    text = release_bytes(outcome, table.origin).decode()
    assert text.splitlines()[0] == "a;b"
    assert "," in text.splitlines()[1]


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet"])
def test_every_format_reads_back_to_the_same_values(
    outcome: Outcome, table: Table, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"out{suffix}"
    write_files(outcome, table, path, {})
    back = read_table(path).frame
    expected = outcome.release.frame
    np.testing.assert_array_equal(back.to_numpy(), expected.to_numpy())


def test_k_is_counted_on_the_bytes(outcome: Outcome, table: Table) -> None:
    content = release_bytes(outcome, table.origin)
    assert k_of_bytes(content, outcome, table.origin) == outcome.k_released
    lines = content.decode().splitlines()
    lines[1] = "0,5;0,5"
    spoilt = "\n".join(lines).encode()
    assert k_of_bytes(spoilt, outcome, table.origin) == 1
    with pytest.raises(VerificationError, match="other columns or records"):
        k_of_bytes("\n".join(lines[:-1]).encode(), outcome, table.origin)


def test_a_failed_write_leaves_old_files_as_they_were(tmp_path: Path) -> None:
    old = tmp_path / "figures.json"
    old.write_text("old")
    gone = tmp_path / "missing" / "x.json"
    with pytest.raises(InputError, match="nothing was written"):
        write_all({old: b"new", gone: b"new"})
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]


def test_targets_are_checked_before_work_begins(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is a folder"):
        check_targets(tmp_path)
    with pytest.raises(ParameterError, match="does not exist"):
        check_targets(tmp_path / "no" / "x.csv")
    with pytest.raises(ParameterError, match="same file name"):
        check_targets(tmp_path / "x.csv", tmp_path / "x.csv")
    check_targets(tmp_path / "x.csv", None, tmp_path / "y.csv")


def test_the_suffix_decides_the_format(table: Table) -> None:
    assert origin_for(Path("x.parquet"), table).format == "parquet"
    assert origin_for(Path("x.csv"), table).options == table.origin.options
    with pytest.raises(InputError, match="docx"):
        origin_for(Path("x.docx"), table)
    assert isinstance(origin_for(Path("x.xlsx"), table), Origin)
