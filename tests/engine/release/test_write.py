"""A release is written whole or not at all, and counted as written."""

import errno
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.data.table import Origin, Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release import verify, write
from engine.release.verify import VerificationError
from engine.release.write import format_id_for_path, write_all, write_files


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


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet"])
def test_every_format_reads_back_to_the_same_values(
    outcome: Outcome, table: Table, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"out{suffix}"
    write_files(outcome, table, path, {})
    back = read_table(path).frame
    expected = outcome.release.frame
    np.testing.assert_array_equal(back.to_numpy(), expected.to_numpy())


def test_a_failed_write_leaves_old_files_as_they_were(tmp_path: Path) -> None:
    old = tmp_path / "figures.json"
    old.write_text("old")
    gone = tmp_path / "missing" / "x.json"
    with pytest.raises(InputError, match="nothing was written"):
        write_all({old: b"new", gone: b"new"})
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]


def test_a_folder_in_a_file_s_place_leaves_all_as_it_was(tmp_path: Path) -> None:
    old, folder = tmp_path / "figures.json", tmp_path / "folder"
    old.write_text("old")
    folder.mkdir()
    with pytest.raises(InputError, match=r"folder cannot be written .*is a directory"):
        write_all({old: b"new", folder: b"new"})
    assert old.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"figures.json", "folder"}


@pytest.mark.parametrize("n_replaced", [0, 1, 2])
def test_a_file_that_cannot_be_replaced_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_replaced: int
) -> None:
    old, new, last = (tmp_path / name for name in ("old.csv", "new.csv", "last.csv"))
    old.write_text("old")
    last.write_text("last")
    replaced = []

    def replace(source: Path, target: Path) -> None:
        if target not in replaced and len(replaced) == n_replaced:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        replaced.append(target)
        os.replace(source, target)

    monkeypatch.setattr(write, "move_and_replace", replace)
    with pytest.raises(InputError, match="nothing was written"):
        write_all({old: b"a", new: b"b", last: b"c"})
    assert (old.read_text(), last.read_text()) == ("old", "last")
    assert {path.name for path in tmp_path.iterdir()} == {"old.csv", "last.csv"}


@pytest.mark.parametrize("is_full", [False, True])
def test_a_draft_that_a_scanner_holds_hides_neither_success_nor_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_full: bool
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def fill(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(write, "remove_file", refuse)
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("old")
    if is_full:
        monkeypatch.setattr(os, "fsync", fill)
        with pytest.raises(InputError, match=r"old\.csv cannot be .*no space left"):
            write_all({old: b"a", new: b"b"})
    else:
        write_all({old: b"a", new: b"b"})
        assert new.read_text() == "b"
    assert old.read_text() == ("old" if is_full else "a")


def test_the_suffix_decides_the_format() -> None:
    assert format_id_for_path(Path("x.parquet")) == "parquet"
    assert format_id_for_path(Path("x.XLSX")) == "excel"
    for name in ("x.docx", "x.sas7bdat"):
        with pytest.raises(InputError, match="There is no format for"):
            format_id_for_path(Path(name))


def test_a_release_that_fails_a_check_leaves_nothing(
    outcome: Outcome, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = verify.frame_to_bytes

    def spoil(frame: pd.DataFrame, origin: Origin, is_held: bool) -> bytes:
        return real(frame.assign(a=frame["a"] + frame.index), origin, is_held)

    monkeypatch.setattr(verify, "frame_to_bytes", spoil)
    with pytest.raises(VerificationError, match=r"Every value reads back .* 'a'"):
        write_files(outcome, table, tmp_path / "out.csv", {tmp_path / "x": b"x"})
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
