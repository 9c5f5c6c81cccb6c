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

from engine.cli.parsing.parser import main
from engine.core.errors import InputError
from engine.data.table import Origin
from engine.files import formats, frame_to_bytes
from engine.release import verify, write

RLIMIT = 1
"""Of a file's size, in Python's ``resource``, which Windows does not have."""


@pytest.mark.parametrize("step", ["write", "flush", "sync"])
def test_a_full_disk_names_the_file_and_leaves_all_as_it_was(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
            self._large = content == b"large"
            self._file.write(content)
            self._full_at("write")

        def flush(self) -> None:
            self._full_at("flush")

        def fileno(self) -> int:
            self._full_at("sync")
            return int(self._file.fileno())

        def _full_at(self, now: str) -> None:
            if self._large and now == step:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

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


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size")
@pytest.mark.parametrize("limit", [0, 1000])
@pytest.mark.parametrize(
    "suffix", [info.suffixes[0] for info in formats.infos() if info.writable]
)
def test_a_disk_that_fills_while_a_release_is_read_back_is_one_line(
    suffix: str,
    limit: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import resource

    place, temporary = tmp_path / "place", tmp_path / "temporary"
    place.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    table, output = place / "in.csv", place / f"out{suffix}"
    table.write_text("a,b,c\n" + "".join(f"{i},{i * i},x\n" for i in range(30)))
    check, before = verify.release_checks_and_k, resource.getrlimit(RLIMIT)

    def full(*arguments: Any, **named: Any) -> Any:
        resource.setrlimit(RLIMIT, (limit, before[1]))
        try:
            return check(*arguments, **named)
        finally:
            resource.setrlimit(RLIMIT, before)

    monkeypatch.setattr(verify, "release_checks_and_k", full)
    words = ["run", str(table), "--quasi-identifiers", "a,b", "--k", "3"]
    code = main([*words, "--method", "mdav", "--output", str(output)])
    assert list(temporary.iterdir()) == []
    if suffix not in (".sav", ".dta"):  # what is read in memory needs no room
        assert code == 0
        return
    assert code == 2
    error_lines = capsys.readouterr().err.splitlines()
    (error,) = [line for line in error_lines if not line.startswith("Note:")]
    assert "temporary files" in error
    assert "cannot be written to (file too large): make room there" in error
    assert [each.name for each in place.iterdir()] == ["in.csv"]


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
