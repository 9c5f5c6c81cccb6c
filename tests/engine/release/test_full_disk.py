"""A disk that is full is said in one sentence, which names the file."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from engine.core.errors import InputError
from engine.release import write


def test_a_full_disk_names_the_file_and_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_bytes(b"before")
    opened = os.fdopen

    class Full:
        def __init__(self, handle: int, mode: str) -> None:
            self._file = opened(handle, mode)

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *of: Any) -> None:
            self._file.close()

        def write(self, content: bytes) -> None:
            if content == b"large":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._file.write(content)

    monkeypatch.setattr(write.os, "fdopen", Full)
    with pytest.raises(InputError, match=r"second\.csv.*no space left"):
        write.write_all({first: b"after", second: b"large"})
    assert first.read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir()] == ["first.csv"]
