"""Errors of the system say which file they are about."""

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.core.platform.system_errors import (
    name_file_in_errors,
    path_of_error,
    reason_of_error,
)


def test_an_error_without_a_file_is_said_of_the_file_in_work(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with (
        pytest.raises(OSError, match="descriptor") as raised,
        name_file_in_errors(path),
    ):
        os.fsync(99_999)
    assert raised.value.errno == errno.EBADF
    assert path_of_error(raised.value) == path


def test_an_error_of_arrow_names_its_file_and_why(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.parquet"
    with pytest.raises(FileNotFoundError) as raised, name_file_in_errors(path):
        pq.ParquetWriter(path, pa.schema([("a", pa.int64())]))
    assert path_of_error(raised.value) == path
    assert reason_of_error(raised.value) == os.strerror(errno.ENOENT).lower()


def test_of_files_within_each_other_the_innermost_is_named(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    with pytest.raises(FileNotFoundError) as raised, name_file_in_errors(outer):
        inner.open("rb")
    assert path_of_error(raised.value) == inner


def test_what_is_no_error_of_the_system_is_left_alone(tmp_path: Path) -> None:
    error = pa.ArrowInvalid("no Parquet file")
    with pytest.raises(pa.ArrowInvalid) as raised, name_file_in_errors(tmp_path):
        raise error
    assert raised.value is error
    assert path_of_error(OSError("no number")) is None
