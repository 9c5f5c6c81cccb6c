"""Lines without end are refused before they are in memory, and others are read."""

import re
from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.files import read_frame
from engine.files.input.options import ReadOptions
from engine.files.text import endless_lines
from engine.files.text.endless_lines import refuse_endless_lines
from engine.files.text.file_text import FileText
from tests.engine.streaming.runs import PLAN, run

ROWS = b"".join(b"%d,%d\n" % (i, i * 3 % 7) for i in range(200))


def sparse_file(path: Path, start: bytes, n_bytes: int) -> Path:
    """Write a file that goes on with zeros, which take no room on most disks."""
    with path.open("wb") as stream:
        stream.write(start + b"5" * (1 << 21 if start[:1].isdigit() else 0))
        stream.truncate(n_bytes)
    return path


@pytest.mark.parametrize("n_above", [0, 200], ids=["first line", "below records"])
@pytest.mark.parametrize("name", ["a.csv", "a.dat"])
def test_of_an_endless_line_hardly_more_than_a_line_is_read(
    n_above: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_all(self: object) -> bytes:
        raise AssertionError("all of the file was read")

    start = ROWS if n_above else b"1,2"
    path = sparse_file(tmp_path / name, start, 1 << 30)
    monkeypatch.setattr("engine.files.input.source.InputBytes.read_bytes", refuse_all)
    options = ReadOptions(layout="a 1-2" if name == "a.dat" else None)
    with pytest.raises(InputError) as raised:
        read_frame(path, options, None)
    assert f"Line {n_above + 1} of file {name!r} has more than" in str(raised.value)


def test_out_of_core_an_endless_line_is_the_same_sentence(tmp_path: Path) -> None:
    path = sparse_file(tmp_path / "a.csv", ROWS, 1 << 30)
    with pytest.raises(InputError, match=r"Line 201 of file 'a\.csv' has more than"):
        run(PLAN, path, tmp_path / "out")
    assert list(tmp_path.iterdir()) == [path]


def naive_longest_line(content: bytes) -> int:
    """Return the bytes between two line ends at most, with the second one."""
    return max(map(len, re.split(rb"(?<=[\r\n])", content)))


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("longest", [3, 15, 16, 17, 40])
@pytest.mark.parametrize("place", [0, 3, 9])
def test_the_limit_is_that_of_a_line_however_text_is_cut(
    end: bytes,
    longest: int,
    place: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endless_lines, "MAX_LINE_BYTES", 16)
    monkeypatch.setattr(endless_lines, "PIECE_BYTES", 5)
    lines = [b"a,b"] * 10
    lines[place] = b"x" * (longest - len(end))
    content = end.join([*lines, b""])
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    is_endless = naive_longest_line(content) > 16
    for text in (content, FileText.of_file(path)):
        if is_endless:
            with pytest.raises(InputError, match="has more than 16 bytes"):
                refuse_endless_lines(text, None, "a.csv")
        else:
            refuse_endless_lines(text, None, "a.csv")


def test_a_file_that_is_no_text_is_said_to_be_what_it_is(tmp_path: Path) -> None:
    path = sparse_file(tmp_path / "a.csv", b"PAR1", 1 << 30)
    with pytest.raises(InputError, match="a Parquet file"):
        read_frame(path, ReadOptions(), None)


def test_a_record_of_many_lines_is_bounded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("delimited_records.MAX_RECORD_BYTES", 1 << 21),
        ("delimited_records._BLOCK_BYTES", 1 << 18),
        ("record_ranges.MAX_RECORD_BYTES", 1 << 21),
        ("record_ranges.STEP_BYTES", 1 << 18),
    ):
        monkeypatch.setattr(f"engine.files.text.{name}", value)
    long = b'5,"' + b"word\n" * (1 << 20) + b'"\n'
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + ROWS + long + ROWS)
    with pytest.raises(InputError, match=r"a\.csv"):
        read_frame(path, ReadOptions(), None)
    with pytest.raises(InputError, match=r"a\.csv"):
        run(PLAN, path, tmp_path / "out")
