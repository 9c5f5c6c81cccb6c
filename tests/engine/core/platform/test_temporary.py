"""A temporary folder answers for its own errors and for a full disk alone."""

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.core.platform import temporary
from engine.core.platform.temporary import (
    DISK_FULL_CODES,
    DiskFullError,
    open_temporary_folder,
)

Fail = Callable[[Path], OSError]

OTHERS: dict[str, Fail] = {
    "a connection": lambda _: ConnectionResetError(errno.ECONNRESET, "reset"),
    "a file elsewhere": lambda folder: FileNotFoundError(
        errno.ENOENT, "no such file", str(folder.parent / "elsewhere.csv")
    ),
    "a full disk elsewhere": lambda folder: OSError(
        errno.ENOSPC, "no space left", str(folder.parent / "elsewhere.csv")
    ),
    "a descriptor": lambda _: OSError(2**40, "of no file"),
    "a library": lambda _: OSError("the file is damaged"),
}
"""Errors that have nothing to do with the folder in whose block they are raised."""

OWN: dict[str, Fail] = {
    **{
        errno.errorcode[code]: lambda _, code=code: OSError(code, os.strerror(code))  # type: ignore[misc]
        for code in sorted(DISK_FULL_CODES)
    },
    "a refused file": lambda folder: PermissionError(
        errno.EACCES, "permission denied", str(folder / "table.sav")
    ),
    "a file named by bytes": lambda folder: OSError(
        errno.EROFS, "read-only file system", os.fsencode(folder / "table.sav")
    ),
}
"""Errors of the folder: a disk without room, or one of its files."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("fail", OTHERS.values(), ids=OTHERS)
def test_an_error_of_something_else_stays_what_it_is(fail: Fail, place: Path) -> None:
    error = fail(place / "temporary")
    with (
        pytest.raises(type(error), check=lambda raised: raised is error),
        open_temporary_folder(),
    ):
        raise error
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("fail", OWN.values(), ids=OWN)
def test_an_error_of_the_folder_names_the_folder(fail: Fail, place: Path) -> None:
    with (
        pytest.raises(DiskFullError, match=r"cannot be written to .*TMPDIR"),
        open_temporary_folder() as folder,
    ):
        raise fail(folder)
    assert list(place.iterdir()) == []


def test_a_folder_that_cannot_be_made_private_is_none(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(errno.EPERM, "operation not permitted")

    monkeypatch.setattr(temporary, "make_private", refuse)
    with (
        pytest.raises(DiskFullError, match="operation not permitted"),
        open_temporary_folder(),
    ):
        pytest.fail("the block is not entered")
    assert list(place.iterdir()) == []
