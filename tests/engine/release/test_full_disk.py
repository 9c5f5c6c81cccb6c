"""A disk that is full is said in one sentence, which names the file."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.data.table import Origin
from engine.files import frame_to_bytes
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


@pytest.mark.parametrize("format_id", ["excel", "spss", "stata"])
def test_no_room_for_temporary_files_names_their_folder(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    monkeypatch.setattr(tempfile, "tempdir", str(gone))
    frame = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(InputError, match=r"gone, cannot be written to .*TMPDIR"):
        frame_to_bytes(frame, Origin(format_id))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".xlsx", ".sav", ".dta"])
def test_a_disk_that_fills_up_is_one_line(suffix: str, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    rows = "".join(f"{i},{i * i}\n" for i in range(4_000))
    source.write_text(f"age,net\n{rows}")
    line = [sys.executable, "-m", "engine", "run", source, "--all-numeric"]
    line += ["--method", "individual-ranking", "--output", tmp_path / f"out{suffix}"]
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 8; exec "$@"', "bash", *map(str, line)],
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
